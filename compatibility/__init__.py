"""The compatibility matrix: what mprof costs a job in settings that are not the usual ones.

Each row of `rows` is a real job on the embedded cluster, run as it is and under ``mprof run``, and
compared: whether it starts, its output, its exit status, and what it dies of. Development only,
like ``tests/``: it is not part of the package.
"""
