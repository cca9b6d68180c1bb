"""Whose problem it is: the job's, its data's, or the machine's, as job histories tell it.

Theia (Garduno, Kavulya, Tan, Gandhi, Narasimhan: Visual Signatures for Problem Diagnosis in Large
Hadoop Clusters) draws how each node fared with each job, and leaves it to the reader to see the
pattern. `scores` computes what it draws; `find` reads the patterns by rule. Both take data frames
of the store's tables, and know nothing of memory or of pages.
"""

from mprof.signatures.cluster import Cluster, cluster_of
from mprof.signatures.find import find_signatures
from mprof.signatures.scores import score_nodes
from mprof.signatures.signature import THRESHOLDS, Figure, Signature
from mprof.signatures.words import evidence_of, title_of

__all__ = [
    "THRESHOLDS",
    "Cluster",
    "Figure",
    "Signature",
    "cluster_of",
    "evidence_of",
    "find_signatures",
    "score_nodes",
    "title_of",
]
