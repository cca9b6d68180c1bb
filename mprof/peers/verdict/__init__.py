"""From comparisons to what is said of a node: comparable at all, sick or waiting, how sure."""

__all__: list[str] = []  # each module is asked for by name: some take a second to load
