"""Bansal, Chunduru, Data and Prabhakaran, Flexible Accuracy for Differential Privacy: its claims, and ours on its subject."""
