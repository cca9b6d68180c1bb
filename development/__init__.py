"""Tools of those who develop mprof: they stand beside the package, and no wheel has them.

`pages` makes the reference, `sweep` moves thresholds over the recorded cases, `recording` stores a
run in a case. ``python -m development`` lists what can be asked; nothing in ``mprof`` imports this.
"""
