"""What looks like a secret in a command or in the value of a property, masked before it is kept.

Hadoop's own list (``hadoop.security.sensitive-config-keys``) is by the names of whole properties;
secrets also stand inside option strings, in URLs, and after an option of a command.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

__all__ = ["MASK", "mask_command", "mask_text"]

MASK: Final = "***"

# Values of megabytes (a serialised plan) are searched, and others wrote them: each expression
# begins with what is seldom, and repeats a bounded number of times but for the secret itself.
_WORDS: Final = (
    r"(?:password|passwd|passphrase|pwd|secret|credential|token(?!i[sz])|azure[._-]sas|"
    r"(?:access|account|session|encryption|api|private|shared)[._-]?key|"
    # The last word of a name, or with whose word it is: no pass.through, two-pass, or compass.
    r"pass(?![\w.\-])(?:(?<![a-z0-9]pass)|(?-i:(?<=[a-z0-9]Pass))|"
    r"(?<=(?:store|admin|login|proxy)pass)|(?<=(?:user|bind|ldap|mail|smtp|root)pass)|"
    r"(?<=(?:key|sql)pass)|(?<=dbpass))"
    r"(?<!bypass)(?<!(?:one|two|low)[._-]pass)(?<!high[._-]pass)(?<!multi[._-]pass)|"
    r"bearer(?![\w.\-])(?<![a-z]bearer)|"
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

_SCHEME: Final = r"(?:basic|bearer|digest|negotiate|token|apikey|aws4?[\w\-]{0,20})"

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
    # beeline -p x
    re.compile(
        rf"(?P<before>beeline\b(?<!\wbeeline)[^\n|]{{0,500}}?\s-p\s{{1,9}})(?!(?:{_QUOTE})?-){_VALUE}",
        _FLAGS,
    ),
    # Authorization: Bearer x, X-Auth-Token: x, Cookie: x; to the end of the line or of the quotes
    re.compile(
        r"(?P<before>(?:authorization(?<![\w.]authorization)|cookie(?<![\w.]cookie)|"
        r"x-(?<![\w.\-]x-)[\w\-]{0,100}?(?:token|key|secret|signature|password|auth))"
        rf"(?:{_QUOTE})?\s{{0,9}}:\s{{0,9}}(?P<open>{_QUOTE})?(?:{_SCHEME}\s{{1,9}})?)"
        r"(?(open)(?:(?!(?P=open))(?:\\.|[^\\]))+"
        r"|(?:[^\r\n\"'\\]|(?<==)\"[^\"\r\n]{0,500}\")+)",
        _FLAGS,
    ),
    # authorization=Bearer x
    re.compile(
        rf"(?P<before>authorization(?<![a-z]authorization)\s{{0,9}}=\s{{0,9}}(?:{_QUOTE})?{_SCHEME}\s{{1,9}})"
        rf"{_BARE}",
        _FLAGS,
    ),
    # Bearer x, wherever it stands, where x has the length of one
    re.compile(r"(?P<before>Bearer(?<!\wBearer)\s{1,9})[\w.~+/=\-]{20,}"),
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
_PASSWORD_OPTION_OF: Final = {"beeline": "-p"}


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
    names = (PurePosixPath(each).name for each in command)
    short = next((_PASSWORD_OPTION_OF[each] for each in names if each in _PASSWORD_OPTION_OF), None)
    for word in command:
        name, equals, _ = word.partition("=")
        login = re.match(_LOGIN, word) if before in _LOGIN_OPTIONS else None
        if login:
            masked.append(f"{login[0]}{MASK}")
        elif (before == short or _is_secret_option(before)) and not word.startswith("-"):
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
