"""Joins what the detectors say of a node: of which kind is its sickness?"""

__all__: list[str] = []  # each module is asked for by name: some take a second to load
