"""What the operating system of one node counts, once a second: sampled, and written to files.

Only this package looks at the node that it runs on; the detectors of `mprof.peers` read tables.
"""

from mprof.metrics.columns import COLLECTED, COLLECTED_NAMES, METRIC_NAMES, METRICS, Metric

__all__ = ["COLLECTED", "COLLECTED_NAMES", "METRICS", "METRIC_NAMES", "Metric"]
