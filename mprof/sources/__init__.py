"""Files that others wrote about clusters -> rows of the store's tables; one file a format."""

from mprof.sources.imports import FileImport, import_files, import_history
from mprof.sources.reader import Losses, Part, Reader, head_of
from mprof.sources.readers import READERS, reader_of

__all__ = [
    "READERS",
    "FileImport",
    "Losses",
    "Part",
    "Reader",
    "head_of",
    "import_files",
    "import_history",
    "reader_of",
]
