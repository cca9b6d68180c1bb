"""What `java` says in another language of a class that it cannot run, in English.

``sun.launcher.LauncherHelper`` takes its words from ``sun/launcher/resources/launcher*.properties``
(``java.launcher.cls.error1``), by the locale of the machine. JDK 8 to 25 have ten languages beside
English, two of them written in Chinese.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["in_english"]

_NAME: Final = r"(?P<name>[\w$./=-]{1,300})"
_BEFORE_A_WORD: Final = r"(?P<name>[A-Za-z\d_$./=-]{1,300}?)"  # in a language without spaces
_TOLD: Final = (
    f"\u627e\u4e0d\u5230\u6216\u65e0\u6cd5\u52a0\u8f7d\u4e3b\u7c7b {_NAME}",
    f"\u627e\u4e0d\u5230\u6216\u7121\u6cd5\u8f09\u5165\u4e3b\u8981\u985e\u5225 {_NAME}",
    f"\u30e1\u30a4\u30f3\u30fb\u30af\u30e9\u30b9 ?{_BEFORE_A_WORD} ?\u3092\u691c\u51fa",
    rf"\uae30\ubcf8 \ud074\ub798\uc2a4 {_BEFORE_A_WORD}\uc744\(",
    f"Hauptklasse {_NAME} konnte nicht gefunden",
    rf"impossible de trouver ou (?:de )?charger la classe principale {_NAME}",
    f"no se ha encontrado o cargado la clase principal {_NAME}",
    f"impossibile trovare o caricare la classe principale {_NAME}",
    f"kunde inte hitta eller ladda huvudklassen {_NAME}",
    f"N\u00e3o foi poss\u00edvel localizar nem carregar a classe principal {_NAME}",
)
_WORDS: Final = tuple(
    one.encode()
    for one in ("\u4e3b\u7c7b", "\u4e3b\u8981\u985e\u5225", "\u30e1\u30a4\u30f3", "\uae30\ubcf8",
                "Hauptklasse", "classe principal", "clase principal", "huvudklassen")
)  # fmt: skip
"""One of them stands in each."""
_EACH: Final = tuple(re.compile(rf"(?m)^[^\s:]{{2,12}}\s?: {one}[^\n]*") for one in _TOLD)


def in_english(lines: bytes) -> bytes:
    """The lines, with these words of `java` as it has them in English.

    Args:
        lines: in UTF-8.

    >>> in_english("Fehler: Hauptklasse a.B konnte nicht gefunden oder geladen werden".encode())
    b'Error: Could not find or load main class a.B'
    """
    if not any(word in lines for word in _WORDS):
        return lines
    text = lines.decode("utf-8", "surrogateescape")
    for one in _EACH:
        text = one.sub(r"Error: Could not find or load main class \g<name>", text)
    return text.encode("utf-8", "surrogateescape")
