"""A small real cluster on one machine, faults that are made in it, and recordings of both.

HDFS and YARN of Hadoop 3.4: a master and slaves, each a network namespace with a disk of its own
(a file, mounted through a loop device) and a share of a processor (control groups, version 1).
Nothing is sent beyond the namespaces: the bridge between them stands in one of its own.

It needs root, Linux with loop devices and control groups, iproute2, iptables and e2fsprogs, and is
never part of the test suite; what it recorded is (see ``README.md``).
"""
