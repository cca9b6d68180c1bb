"""The detectors, each in a module of its own, and the list of them."""

__all__: list[str] = []  # each module is asked for by name: some take a second to load
