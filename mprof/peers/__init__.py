"""Which machine is sick: each node of a cluster compared with the others that do the same work.

A detector takes tables of many nodes and gives a `Comparison`. It knows nothing of memory: facts,
rules and diagnoses of an attempt that died stand elsewhere.
"""

from mprof.peers.comparison import Comparison, MasterStanding, NodeStanding, Observation

__all__ = ["Comparison", "MasterStanding", "NodeStanding", "Observation"]
