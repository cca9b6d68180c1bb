"""A dump that may leave the house: the same heap, without what its objects say."""

from mprof.redaction.kept import Kept, kept_of
from mprof.redaction.redact import Redacted, redact_dump

__all__ = ["Kept", "Redacted", "kept_of", "redact_dump"]
