"""Files that others wrote about clusters -> rows of the store's tables; one file a format."""

from mprof.sources.imports import FileImport, import_files, import_history
from mprof.sources.readers import reader_of

__all__ = ["FileImport", "import_files", "import_history", "reader_of"]
