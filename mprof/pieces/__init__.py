"""A function over many pieces of work: in the threads of this process, or on Spark.

A piece is small and says what to work on, such as rows of the store; whoever runs the function
reads them. Results come back as one data frame, in the order of the pieces, whatever ran them.
"""

from mprof.pieces.engine import Engine, LocalEngine

__all__ = ["Engine", "LocalEngine"]
