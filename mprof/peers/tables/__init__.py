"""The tables of a store as the detectors read them: metrics by second, states of attempts."""

__all__: list[str] = []  # each module is asked for by name: some take a second to load
