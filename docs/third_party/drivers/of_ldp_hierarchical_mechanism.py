"""A call of LDP_hierarchical_mechanism, whose tree of reports is filled by pure-ldp."""

from hierarchical_mechanism_LDP import Private_TreeBary


def median(data: tuple[int, ...]) -> int:
    """A median of 0..4 from the reports of users at two levels of a binary tree, by direct encoding."""
    tree = Private_TreeBary(B=4, b=2, eps=1.0, protocol="direct_encoding")
    tree.update_tree(list(data))
    tree.compute_attributes()
    tree.post_process()
    return int(tree.get_quantile(0.5))
