"""One cause, one file: what it means, what is asked, the examples that are its tests.

Every module here is a rule of the catalogue; nothing else has to be edited to add one
(`docs/guides/add-a-rule.md`).
"""

from __future__ import annotations

__all__: list[str] = []
