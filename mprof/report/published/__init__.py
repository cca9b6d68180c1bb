"""A diagnosis as it is published: one value from which JSON, its schema, text and page are made.

Each class stands for an object of JSON, with the members in their order; its docstring is their
description in ``docs/reference/diagnosis.schema.json`` (of several deaths, with what was read,
``findings.schema.json``), which are generated. So a member is added in
one place: its class, with the line of ``of`` that fills it. A frozen value of a lower layer that is
published as it is stands here under its own name.

A contract: members may be added, none is removed or changes its meaning within a schema version.
Sizes are bytes, ratios run from 0 to 1, ordinals count from 1 and indices from 0.
"""

from __future__ import annotations

from mprof.report.published.advised import Advised
from mprof.report.published.findings import FindingsReport
from mprof.report.published.report import Report

__all__ = ["Advised", "FindingsReport", "Report"]
