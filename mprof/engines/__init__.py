"""What a task looks like in each engine: its words, its profile, and the reader of its stacks."""

from __future__ import annotations

from mprof.engines.classes import (
    UserClasses,
    element_class,
    is_jdk_class,
    outer_class,
    stable_name,
)
from mprof.engines.engine import (
    Engine,
    Fields,
    FrameworkStep,
    HeapShapes,
    Method,
    Template,
    TemplateCall,
)
from mprof.engines.enlarging import enlarges_container, is_enlarging_name
from mprof.engines.mapreduce import MAPREDUCE
from mprof.engines.stacks import CodeFrame, FrameRole, StackReading, read_stack
from mprof.engines.vocabulary import (
    LIFECYCLES,
    PLACES,
    ClassKind,
    Level,
    Lifecycle,
    Lifetime,
    Place,
    Side,
    Via,
)

__all__ = [
    "LIFECYCLES",
    "MAPREDUCE",
    "PLACES",
    "ClassKind",
    "CodeFrame",
    "Engine",
    "Fields",
    "FrameRole",
    "FrameworkStep",
    "HeapShapes",
    "Level",
    "Lifecycle",
    "Lifetime",
    "Method",
    "Place",
    "Side",
    "StackReading",
    "Template",
    "TemplateCall",
    "UserClasses",
    "Via",
    "element_class",
    "enlarges_container",
    "is_enlarging_name",
    "is_jdk_class",
    "outer_class",
    "read_stack",
    "stable_name",
]
