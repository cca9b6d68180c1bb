"""Which methods make a container larger."""

from __future__ import annotations

import pytest

from mprof.engines import MAPREDUCE, UserClasses, enlarges_container, is_enlarging_name

CLASSES = UserClasses(MAPREDUCE)


@pytest.mark.parametrize(
    ("class_name", "method"),
    [
        ("java.util.HashMap", "resize"),
        ("java.util.ArrayList", "grow"),
        ("java.lang.AbstractStringBuilder", "ensureCapacityInternal"),
        ("java.util.Arrays", "copyOf"),
        ("it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap", "rehash"),
        ("com.carrotsearch.hppc.BufferAllocation", "growCapacityBy"),
        ("org.apache.hadoop.io.Text", "ensureCapacity"),
    ],
)
def test_a_container_of_the_jdk_or_a_library_is_enlarged_by_methods_known_by_name(
    class_name: str, method: str
) -> None:
    assert enlarges_container(class_name, method, CLASSES)
    assert not enlarges_container(class_name, "put", CLASSES)


@pytest.mark.parametrize("method", ["growForest", "resizeImage", "rehashPasswords", "resize"])
def test_a_users_method_is_no_enlargement_by_its_name(method: str) -> None:
    assert not enlarges_container("com.acme.Forest", method, CLASSES)


@pytest.mark.parametrize(
    ("method", "enlarging"),
    [("resize", True), ("rehash", True), ("growForest", False), ("resizeImage", False)],
)
def test_a_method_of_a_users_container_has_to_have_exactly_such_a_name(
    method: str, enlarging: bool
) -> None:
    assert is_enlarging_name(method) is enlarging
