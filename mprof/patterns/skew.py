"""How uneven are the partitions? The Gini index, as the paper's Figure 7 draws it.

It is said, and decides nothing: above 0.4 the paper calls partitions uneven (Table 6), but it is of
all of them, and not of the one that died.

Definition: sort the r partitions by size; the Lorenz curve joins (0, 0) with the points
(i / r, share of the i smallest partitions in the whole) by straight lines. With A the area between
the diagonal and that curve and B the area under the curve, Gini = A / (A + B).
It is the trapezoid form, without the correction r / (r - 1) for small samples, so its largest value
is (r - 1) / r: with two reducers it never exceeds 0.5.

Worked example: partitions of 1, 1 and 4 million records. Shares 1/6, 2/6, 1; trapezoids of width
1/3: (0 + 1/6)/2, (1/6 + 2/6)/2, (2/6 + 1)/2, so B = (1/12 + 3/12 + 8/12) / 3 = 1/3 and
Gini = 1 - 2 * 1/3 = 1/3.

>>> round(gini([1, 4, 1]), 6)
0.333333
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

__all__ = ["gini"]


def gini(sizes: Sequence[float]) -> float:
    """The Gini index of partition sizes; 0 for fewer than two partitions or no data at all.

    Args:
        sizes: one a reducer, not negative, in any order and any unit. Of whole numbers the index
            is exact but for one division, so that 0.4 itself is not taken for more.
    """
    total = sum(sizes)
    if len(sizes) < 2 or total <= 0:
        return 0.0
    lorenz = accumulate(sorted(sizes), initial=0)
    twice_under = sum(left + right for left, right in pairwise(lorenz))
    whole = len(sizes) * total
    return (whole - twice_under) / whole
