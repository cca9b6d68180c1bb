"""The judge: random MapReduce tasks with known truth, and how often verdicts about them are right.

A task is drawn (`draw`), run on paper (`model`, `laws`), judged by what would have let it live
(`truth`), seen as a run of mprof would see it (`observe`), diagnosed, and scored (`score`).
Nothing here reads a pattern or a rule: what is true follows from the model alone.
"""
