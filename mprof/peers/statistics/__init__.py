"""Arrays in, arrays out: what the detectors compute, without a node or a table in sight."""

__all__: list[str] = []  # each module is asked for by name: some take a second to load
