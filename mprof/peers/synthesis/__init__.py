"""Joins what the detectors say of a node: of which kind is its sickness?"""
