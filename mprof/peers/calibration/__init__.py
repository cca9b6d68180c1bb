"""What a cluster's own runs say about the detectors: how sensitive they may be, what is healthy."""

__all__: list[str] = []  # each module is asked for by name: some take a second to load
