"""What the operating system of one node counts, once a second: sampled, and written to files.

Only this package looks at the node that it runs on; the detectors of `mprof.peers` read tables.
"""

from mprof.metrics.columns import METRIC_NAMES, METRICS, SAMPLED, SAMPLED_NAMES

__all__ = ["METRICS", "METRIC_NAMES", "SAMPLED", "SAMPLED_NAMES"]
