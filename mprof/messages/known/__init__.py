"""Messages of Hadoop and of the JVM, one file each."""

__all__: list[str] = []
