"""What looks like a secret in a command or in the value of a property, masked before it is kept.

Hadoop's own list (``hadoop.security.sensitive-config-keys``) is by the names of whole properties;
secrets also stand inside option strings, in URLs, and after an option of a command.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

__all__ = ["MASK", "mask_command", "mask_text"]

MASK: Final = "***"
_WORDS: Final = (
    r"password|passwd|passphrase|pwd|secret|credential|token|"
    r"(?:access|account|session|encryption|api|private|shared)[._-]?key"
)
# Each begins with what is seldom: values of megabytes (a serialised plan) are searched, too.
_PAIR: Final = re.compile(rf"(?i)((?:{_WORDS})[\w.\-]{{0,100}}\s{{0,9}}=\s{{0,9}})[^\s;&,\"']+")
_USER_INFO: Final = re.compile(r"(://[^\s/:@]{0,200}:)[^\s/@]+(?=@)")
_OPTION: Final = re.compile(rf"(?i)--?[\w.\-]*(?:{_WORDS})[\w.\-]*")


def mask_text(text: str) -> str:
    """The text, with the values of what looks like a secret replaced by asterisks.

    >>> mask_text("-Xmx1g -Djavax.net.ssl.keyStorePassword=abc")
    '-Xmx1g -Djavax.net.ssl.keyStorePassword=***'
    >>> mask_text("jdbc:mysql://db/x?user=me&password=abc and s3a://ID:abc@bucket/in")
    'jdbc:mysql://db/x?user=me&password=*** and s3a://ID:***@bucket/in'
    """
    return _USER_INFO.sub(rf"\1{MASK}", _PAIR.sub(rf"\1{MASK}", text))


def mask_command(command: Sequence[str]) -> tuple[str, ...]:
    """The command, masked word by word; what follows an option for a secret is one too.

    >>> mask_command(["hadoop", "jar", "x.jar", "-Ddb.password=a b", "--db-token", "abc", "in"])
    ('hadoop', 'jar', 'x.jar', '-Ddb.password=***', '--db-token', '***', 'in')
    """
    masked: list[str] = []
    after_option = False
    for word in command:
        name, equals, value = word.partition("=")
        if after_option and not word.startswith("-"):
            masked.append(MASK)
        elif equals and re.search(rf"(?i)(?:{_WORDS})[^=]*$", name):
            masked.append(f"{name}={MASK}")  # a value of several words is one word of a command
        else:
            masked.append(mask_text(word))
        after_option = not value and _OPTION.fullmatch(word) is not None
    return tuple(masked)
