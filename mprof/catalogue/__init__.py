"""Loads, runs, replays and records the cases of ``cases/``: failures that can be reproduced."""
