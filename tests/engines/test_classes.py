"""Whose a class is, told by its name."""

from __future__ import annotations

import pytest

from mprof.engines import MAPREDUCE, UserClasses, outer_class


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("java.util.HashMap$Node", "neutral"),
        ("com.acme.WordMapper", "user"),
        ("WordMapper", "user"),
        ("com.acme.WordMapper$$Lambda/0x0000000800c03000", "user"),
        ("com.acme.WordMapper[]", "neutral"),
        ("byte[]", "neutral"),
        ("org.apache.hadoop.mapred.MapTask$MapOutputBuffer", "framework"),
        ("org.apache.hadoop.mapreduce.Mapper", "framework"),
        ("org.apache.hadoop.io.Text", "neutral"),
        ("org.apache.hadoop.fs.Path", "neutral"),
        ("org.apache.hadoop.fs.LocalFileSystem", "framework"),
        ("org.apache.hadoop.util.bloom.BloomFilter", "neutral"),
        ("org.apache.hadoop.examples.WordCount$TokenizerMapper", "user"),
        ("org.apache.hadoop.hive.ql.exec.GroupByOperator", "user"),
        ("org.apache.hadoop.hbase.mapreduce.PutSortReducer", "user"),
        ("org.apache.pig.data.DefaultBag", "user"),
        ("org.apache.mahout.math.map.OpenObjectIntHashMap", "neutral"),
        ("org.apache.mahout.classifier.bayes.BayesClassifier", "user"),
        ("it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap", "neutral"),
        ("com.google.common.collect.HashMultimap", "neutral"),
        ("org.slf4j.impl.Reload4jLoggerAdapter", "neutral"),
        ("org.mprof.agent.Probe", "agent"),
    ],
)
def test_a_class_is_told_by_its_name(name: str, kind: str):
    assert UserClasses(MAPREDUCE).kind(name) == kind


def test_a_reducer_of_hadoop_itself_is_the_users_where_the_job_names_it():
    users = UserClasses(
        MAPREDUCE, frozenset({"org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer"})
    )
    assert users.is_user("org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer")
    assert not users.is_user("org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer")


@pytest.mark.parametrize(
    "name",
    [
        "org.apache.hadoop.mapreduce.Mapper",
        "org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper",
        "org.apache.hadoop.mapreduce.lib.chain.ChainMapper",
    ],
)
def test_what_only_carries_a_mapper_is_never_the_users(name: str):
    assert not UserClasses(MAPREDUCE, frozenset({name})).is_user(name)


def test_the_outer_class_is_what_stands_before_the_first_dollar():
    assert outer_class("com.acme.Job$Map$1[]") == "com.acme.Job"
    assert outer_class("$Weird") == "$Weird"
