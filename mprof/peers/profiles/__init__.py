"""What healthy nodes look like: profiles that are learnt from fault-free runs."""

__all__: list[str] = []  # each module is asked for by name: some take a second to load
