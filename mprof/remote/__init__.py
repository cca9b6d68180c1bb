"""Files of other file systems than this machine's: HDFS, object stores.

`address` names them, without any library; `systems` lists, reads and writes them by fsspec;
`webhdfs` is what fsspec leaves open of HDFS.
"""

__all__: list[str] = []
