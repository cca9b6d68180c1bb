"""The detectors of Kahuna, Ganesha and Blimey as their papers describe them, beside ours.

They are there to be compared with. What a paper says is done so, and nothing is added: no verdict
is withheld for want of a healthy majority, and no time is told for what the paper tells none. What
it leaves open is a threshold with its reason. Each says of a node its *level*, the smallest
threshold by which the node is not indicted, so that one pass over control runs sets the threshold.
"""

__all__: list[str] = []
