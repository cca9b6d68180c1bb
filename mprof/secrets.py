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

# Values of megabytes (a serialised plan) are searched, and others wrote them: each expression
# begins with what is seldom, and repeats a bounded number of times but for the secret itself.
_WORDS: Final = (
    r"(?:password|passwd|passphrase|pwd|secret|credential|token(?!i[sz])|azure[._-]sas|"
    r"(?:access|account|session|encryption|api|private|shared)[._-]?key|"
    r"(?<=[?&;])(?:x-amz-)?sig(?:nature)?(?==))"
)
_NAME: Final = rf"{_WORDS}[\w.\-]{{0,100}}"
_QUOTE: Final = r"""\\{0,3}["']"""  # backslashes where JSON stands in a JSON string
_QUOTED: Final = rf"(?P<quote>{_QUOTE})(?:(?!(?P=quote))(?:\\.|[^\\]))*(?P=quote)"
_BARE: Final = (
    rf"(?:{_QUOTE})?"  # of a text that was cut off
    rf"(?:[^\s;&,\"'\\]|\\(?!\\{{0,2}}[\"'])|{_QUOTE}(?=\w)|"
    # A separator is one where another name, or something in quotes, begins behind it.
    rf"[;&,](?!\s|\Z|[\w.\-]{{1,100}}=|{_QUOTE}))+"
)
_VALUE: Final = rf"(?:{_QUOTED}|{_BARE})"
_LOGIN: Final = r"""(?!jdbc:)[^\s:/@"']{1,200}:(?!//)"""  # with -u, beeline takes a URL

_FLAGS: Final = re.IGNORECASE | re.DOTALL
_SECRETS: Final = (
    # password=x, "password": "x"
    re.compile(
        rf"(?P<before>{_NAME}(?:\s{{0,9}}=|{_QUOTE}\s{{0,9}}[:=])\s{{0,9}}){_VALUE}", _FLAGS
    ),
    # --password x, "--password", "x"
    re.compile(
        rf"(?P<before>-(?<![^\s\"'=,\[(]-)[\w.\-]{{0,100}}{_NAME}"
        rf"(?:\s{{1,9}}|(?:{_QUOTE})?\s{{0,9}},\s{{0,9}}))(?!(?:{_QUOTE})?-){_VALUE}",
        _FLAGS,
    ),
    # -u me:x
    re.compile(
        r"(?P<before>-(?<![^\s\"'=]-)(?:u|-user|-proxy-user)(?:\s{1,9}|=)"
        rf"(?P<open>[\"'])?{_LOGIN})(?(open)[^\"']+|[^\s\"']+)",
        _FLAGS,
    ),
    # s3a://me:x@bucket
    re.compile(r"(?P<before>://[^\s/:@]{0,200}:)[^\s/@]+(?=@)"),
    # jdbc:oracle:thin:me/x@host
    re.compile(
        r"(?P<before>jdbc:oracle:\w{1,20}:[^\s/@]{1,200}/)"
        r"(?:(?P<quote>\")[^\"]{1,200}\"|[^\s@]{1,200})(?=@)",
        _FLAGS,
    ),
)
_OPTION: Final = re.compile(r"--?[\w.\-]+")
_SECRET_WORD: Final = re.compile(_WORDS, _FLAGS)
_ENDS_IN_SECRET: Final = re.compile(rf"{_NAME}\s{{0,9}}\Z", _FLAGS)
_LOGIN_OPTIONS: Final = frozenset({"-u", "--user", "--proxy-user"})


def mask_text(text: str) -> str:
    """The text, with the values of what looks like a secret replaced by asterisks.

    >>> mask_text("-Xmx1g -Djavax.net.ssl.keyStorePassword=abc -Ddb.password='a b'")
    "-Xmx1g -Djavax.net.ssl.keyStorePassword=*** -Ddb.password='***'"
    >>> mask_text("jdbc:mysql://db/x?user=me&password=abc and s3a://ID:abc@bucket/in")
    'jdbc:mysql://db/x?user=me&password=*** and s3a://ID:***@bucket/in'
    """
    for secret in _SECRETS:
        text = secret.sub(_masked, text)
    return text


def _masked(found: re.Match[str]) -> str:
    quote = found.groupdict().get("quote") or ""
    return f"{found['before']}{quote}{MASK}{quote}"


def mask_command(command: Sequence[str]) -> tuple[str, ...]:
    """The command, masked word by word; what follows an option for a secret is one too.

    >>> mask_command(["hadoop", "jar", "x.jar", "-Ddb.password=a b", "--db-token", "abc", "in"])
    ('hadoop', 'jar', 'x.jar', '-Ddb.password=***', '--db-token', '***', 'in')
    """
    masked: list[str] = []
    before = ""
    for word in command:
        name, equals, _ = word.partition("=")
        login = re.match(_LOGIN, word) if before in _LOGIN_OPTIONS else None
        if login:
            masked.append(f"{login[0]}{MASK}")
        elif _is_secret_option(before) and not word.startswith("-"):
            masked.append(MASK)
        elif equals and _ENDS_IN_SECRET.search(name):
            # a value of several words is one word of a command
            masked.append(f"{mask_text(name)}={MASK}")
        else:
            masked.append(mask_text(word))
        before = word
    return tuple(masked)


def _is_secret_option(word: str) -> bool:
    return _OPTION.fullmatch(word) is not None and _SECRET_WORD.search(word) is not None
