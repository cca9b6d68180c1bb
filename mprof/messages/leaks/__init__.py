"""Classes and frames that are known to keep memory, one file each."""

__all__: list[str] = []
