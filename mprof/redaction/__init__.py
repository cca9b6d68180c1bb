"""A dump that may leave the house: the same heap, without what its objects say."""

from mprof.redaction.kept import kept_of
from mprof.redaction.redact import redact_dump

__all__ = ["kept_of", "redact_dump"]
