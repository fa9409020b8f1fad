"""Ghazi, Kamath, Kumar and Manurangsi, Anonymized Histograms in Intermediate Privacy Models: the claims of its appendix."""
