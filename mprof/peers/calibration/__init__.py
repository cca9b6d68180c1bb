"""What a cluster's own runs say about the detectors: how sensitive they may be, what is healthy."""
