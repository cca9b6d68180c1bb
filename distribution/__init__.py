"""What is shipped: which libraries stand in the jars, their licences, the bill of materials.

The build hook imports it in an environment that has nothing but hatchling.
"""
