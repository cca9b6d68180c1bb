"""The judge of real tasks: random jobs in JVMs of their own, and what lets them live.

A job is drawn (`drawn`), written as a script and an input (`script`), run on the embedded cluster
as users run it (`real`), and then run again with one thing changed after the other (`changes`):
what is true of it is told by which of these tasks live. Results are kept line by line (`kept`).
"""
