"""Runs of clusters that never were, of 6 to 1,000 nodes, with faults that spread as real ones do.

For what no testbed has: many nodes, many runs, and tests that must not wait. What is measured on
these runs says how the code behaves, and not how the detectors fare on machines; it stands in
tables of its own.

A node has a processor, a disk and a network, each with its speed. Mappers read and compute;
reducers copy from every node that ran a mapper, and write through a pipeline of three nodes. Both
wait for the slowest of those that they need, so that a sick node makes others slow, too.
"""
