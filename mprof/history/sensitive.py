"""Which properties of a job are secrets: Hadoop's own list of expressions, and the job's.

The job's own expressions come from a file that others wrote, and an expression such as ``(a+)+$``
takes for ever on a name that it does not match. Only what cannot is searched as an expression:
fixed text, ``.`` and classes of characters, with ``.*`` between. Of any other, each word masks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

__all__ = ["SensitiveNames"]

# hadoop.security.sensitive-config-keys, default of Hadoop 3.4.3 (core-default.xml)
_DEFAULT: Final = (
    r"secret$",
    r"password$",
    r"ssl.keystore.pass$",
    r"fs.s3a.server-side-encryption.key",
    r"fs.s3a.*.server-side-encryption.key",
    r"fs.s3a.encryption.algorithm",
    r"fs.s3a.encryption.key",
    r"fs.s3a.secret.key",
    r"fs.s3a.*.secret.key",
    r"fs.s3a.session.key",
    r"fs.s3a.*.session.key",
    r"fs.s3a.session.token",
    r"fs.s3a.*.session.token",
    r"fs.azure.account.key.*",
    r"fs.azure.oauth2.*",
    r"fs.adl.oauth2.*",
    r"fs.gs.encryption.*",
    r"fs.gs.proxy.*",
    r"fs.gs.auth.*",
    r"credential$",
    r"oauth.*secret",
    r"oauth.*password",
    r"oauth.*token",
)
_DEFAULT_PATTERNS: Final = tuple(re.compile(each) for each in _DEFAULT)

_LONGEST_NAME: Final = 1000
"""Of a longer name the beginning and the end are searched; Hadoop's have 90 characters at most."""

_MOST_EXPRESSIONS: Final = 200

# What repeats or branches, but for ".*"; a backslash before a digit refers back.
_SLOW: Final = re.compile(r"[*+{}()|?]|\\\d")
_BETWEEN: Final = re.compile(r"(?<!\\)\.\*")
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9]{2,}")

_Steps = tuple[re.Pattern[str], ...]


class SensitiveNames:
    """Tells the names of secrets.

    Attributes:
        losses: expressions of the job's that are not searched as such, one sentence each.
    """

    def __init__(self, expressions: Iterable[str], redacted: Iterable[str]) -> None:
        """Take what the job says of its own.

        Args:
            expressions: ``hadoop.security.sensitive-config-keys``; they add to the default ones.
            redacted: names of ``mapreduce.job.redacted-properties``.
        """
        self._redacted = frozenset(redacted)
        self._own: list[_Steps] = []
        losses = []
        known = frozenset(_DEFAULT)
        wanted = [each for each in dict.fromkeys(expressions) if each not in known]
        for text in wanted[:_MOST_EXPRESSIONS]:
            steps = _steps_of(text)
            if steps is None:
                losses.append(
                    f"the expression {text[:80]!r} for names of secrets is not searched as one, "
                    "because that may take for ever; each word in it masks instead"
                )
                steps_of_words = [(re.compile(re.escape(word)),) for word in _WORD.findall(text)]
                self._own += steps_of_words[:_MOST_EXPRESSIONS]
            else:
                self._own.append(steps)
        if len(wanted) > _MOST_EXPRESSIONS:
            left = len(wanted) - _MOST_EXPRESSIONS
            losses.append(f"{left} expressions for names of secrets are too many and left out")
        self.losses = tuple(losses)

    def __contains__(self, name: str) -> bool:
        if name in self._redacted:
            return True
        if len(name) > _LONGEST_NAME:
            half = _LONGEST_NAME // 2
            name = name[:half] + name[-half:]
        return any(each.search(name) for each in _DEFAULT_PATTERNS) or any(
            _found(steps, name) for steps in self._own
        )


def _steps_of(text: str) -> _Steps | None:
    """The parts between ``.*``, each of which takes time in proportion to the name; None if not."""
    parts = _BETWEEN.split(text)
    if any(_SLOW.search(part) for part in parts):
        return None
    try:
        return tuple(re.compile(part) for part in parts)
    except re.error:
        return (re.compile(re.escape(text)),)  # at least masks the literal text


def _found(steps: _Steps, name: str) -> bool:
    """Whether the parts come in this order, each at the first place where it can."""
    at = 0
    for step in steps:
        match = step.search(name, at)
        if match is None:
            return False
        at = match.end()
    return True
