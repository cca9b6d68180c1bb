"""Arrow tables as pandas data frames that keep what Arrow says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from mprof.extras import MissingPackageError, how_to_install

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["to_frame"]


def to_frame(table: pa.Table) -> pd.DataFrame:
    """A data frame with the dtypes that can say "not known".

    Identifiers are ``UInt64`` and counts ``Int64``: as floats, which pandas takes where one is
    missing, addresses above 2**53 would not be exact.

    Raises:
        MissingPackageError: if pandas is not there.
    """
    try:
        import pandas as pd
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            "a data frame needs pandas", next_step=how_to_install("notebook")
        ) from error
    kinds = {
        pa.uint64(): pd.UInt64Dtype(),
        pa.int64(): pd.Int64Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.float64(): pd.Float64Dtype(),
        pa.string(): pd.StringDtype(),
    }
    frame: pd.DataFrame = table.to_pandas(types_mapper=kinds.get)
    return frame
