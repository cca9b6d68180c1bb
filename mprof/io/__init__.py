"""What is read from and written for others: files, JSON, gzip, text for terminals, secrets."""

__all__: list[str] = []
