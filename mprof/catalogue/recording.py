"""The recorded capture of a case: a folder in a checkout, one packed file in a wheel.

Unpacked, the recordings of all cases are 50 MB, which few users replay; packed they are 2 MB.
"""

from __future__ import annotations

import lzma
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mprof.catalogue.case import Case
from mprof.errors import EvidenceError

__all__ = ["recorded_capture"]


@contextmanager
def recorded_capture(case: Case) -> Iterator[Path]:
    """The folder with a case's recorded capture, for as long as the block lasts.

    Raises:
        EvidenceError: if the case has none, or it is damaged.
    """
    if not case.is_recorded:
        raise EvidenceError(
            f"the case {case.slug} has no recorded evidence",
            next_step=f"record it, in a checkout: python -m development record {case.slug}",
        )
    if case.evidence.is_dir():
        yield case.evidence
        return
    with tempfile.TemporaryDirectory(prefix="mprof-recorded-") as scratch:
        folder = Path(scratch).resolve()
        try:
            _unpack(case.packed_evidence, folder)
        except (tarfile.TarError, lzma.LZMAError, EOFError, ValueError) as error:
            raise EvidenceError(
                f"{case.packed_evidence} is damaged ({error})", next_step="install mprof again"
            ) from error
        yield folder


def _unpack(archive: Path, folder: Path) -> None:
    """Unpack its plain files, each below the folder."""
    with tarfile.open(archive, "r:xz") as packed:
        for member in packed:
            content = packed.extractfile(member) if member.isreg() else None
            if content is None:
                continue
            target = (folder / member.name).resolve()
            if not target.is_relative_to(folder):
                raise ValueError(f"{member.name} leads out of it")
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as file:
                shutil.copyfileobj(content, file)
