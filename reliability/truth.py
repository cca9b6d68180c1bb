"""What is true of a task: told by what would have let it live, never by a rule.

The task is run on paper. Then it is run again with one thing changed, and what lets it come to its
end says what it died of. Nobody looks at shapes or fences to find a cause; shares decide only how
much of a say a thing has that was *part* of the cure. Each cause is then one of

- **true**: mprof must not deny it,
- **may**: neither required nor false; it is counted apart,
- **false**: everything else. Of a task that did not die every cause is false.

The words
---------
*Foreseeable*: changes are tried on a task without surprises after its death: no later record is
larger or makes more work, and no later group is longer, than the largest met by then. What nobody
could know is no reason against a verdict.

*Cured*: with the change the task comes to its end. *Well cured*: it does so with the capacity 10 %
smaller too. *Farther*: it does not come to its end, but gets past its death by a tenth of its
input, or by half of what it had done. *Gets past*: it gets past the step of its death at all.

*Share*: of what live objects may take, as held at death. *Largest*: no other item (the sort buffer,
what was loaded, what is kept of the map or reduce, of the group, the work on R_n with the record
itself) held more at death. *Solid*: well cured, or cured and largest.

*Passed*: groups and records before the death, and the groups of other reducers that are smaller
than G_m had become when the task died.

The causes
----------
`large_accumulated_results.map`, `.reduce`, `.group`
    Change: what user code keeps for the map, the reduce or the group is not kept; each consumer
    alone, and all of that lifecycle together. True where solid with a share of a quarter (30 %
    beside a record that is a true cause) or largest; and where it held half of the heap, is largest
    and gets farther without. May where cured otherwise, with a share of a quarter, or farther with
    a tenth. What is loaded once and never grows is not among them, nor is work space of a fixed
    size.

    It is only *may*, and so is external data, where it is a cache that was full before a third of
    what the task did: it looks loaded. It is only *may*, and so are intermediate results, where
    half of it would have come with R_n; they alone are *may* where R_n made it grow by a fifth of
    the heap and twice as much as any record before. It is only *may*, and so is accumulation of the
    group, where it is kept for the reduce but came with G_m, or where G_m is the first group. What
    a record writer, a record reader or a library keeps is *may* wherever its removal cures: it is
    no result of the user's code, and a report may still name it so.

`large_input_split`
    Asked where map-level accumulation is true or may. Change: the split is cut into 2, 4 or 8, at
    bytes of the file as it is, and every piece is run. True where all pieces come to their end with
    the capacity 10 % smaller, the accumulation is true with a share of 30 %, the file can be cut,
    and it grows for as long as data comes (not a cache, a saturating set, a logarithm, a power
    below 0.7, a late start, or a buffer that is flushed: there the size of the split is not what is
    wrong). May where the pieces come to their end at all.

`improper_partition.few_reducers`
    Asked where reduce-level accumulation is true or may. Change: the groups of this partition are
    dealt to 2, 4 or 8 reducers and each is run. True where all come to their end with the capacity
    10 % smaller, the accumulation is true, the partition is no larger than 1.3 times the mean and
    has eight groups or more. May where they come to their end at all, also with 16 to 64 or each of
    few groups alone, or where the partition is larger
    and the mean one would have died too. In the shuffle: may where 2 or 4 times the reducers cure
    the mean partition, else false; that the mean partition is larger than the heap is normal.

`improper_partition.unbalanced`
    Change: the partition holds the mean (groups left out evenly, or the shuffle fetches less).
    True where well cured, it held 1.5 times the mean, no single group makes it large, and
    reduce-level accumulation is true or the task died in the shuffle. May where cured and it held
    1.3 times the mean, or where one group is what makes it large. False below that.

`hotspot_key`
    Asked where group-level accumulation is true or may. Change: no group from G_m on is longer, or
    of more bytes, than the largest that passed. True where well cured and G_m is twice that; may
    where cured or where it gets past G_m, from 1.3 times, and where other reducers have three or
    more of its size, whatever became of them. Where three or more passed within 1.3 times, its size
    is ordinary: false. Also true where the median group of the job, met instead of
    G_m, kills the task (the key is too coarse; may of a job with fewer than three groups). Also may
    where a reduce-level accumulation is cured by it.

`large_intermediate_results`
    Change: the work on R_n and on every record after it makes no more temporary objects than the
    most that a record before it made (of the first record: than the median one). True where solid,
    they held a quarter, were more than twice what any record before made, and R_n does not load
    something larger; and where they held half of the heap, are largest and it gets past R_n. May
    where cured otherwise, with a share of a fifth, or where the work on *every* record is what is
    too large (removing it cures). Of what is loaded once it is false, even if R_n is the record
    that loads it. Of several records at once it is may at most.

`large_single_record`
    Change: R_n and every record after it is no larger than the largest that passed. True where
    solid, the record with what its bytes became held a quarter, and it is more than twice the
    largest that passed; or where that held half of the heap, is largest and it gets past R_n. May
    from 1.3 times where cured, where it gets past R_n with a share of a tenth, or where R_n would
    have filled an empty heap; where it is the first record; where the work on it is as far from
    that on others, for then nobody can tell which of the two it was; and where every record is as
    large, largest of all items, and takes 30 % of the heap (a quarter, of the first three). Where
    three or more that passed are within 1.3 times it is ordinary: false. Of several records at
    once, and of a record of less than a thousandth of the heap, it is may at most.

    This and the one before ask for a share of 30 % instead of a quarter where half of the heap is
    what a writer, a reader, a library or work space holds.

`large_external_data`
    Change: what was loaded from files is not loaded. True where solid with a share of 30 %, or
    largest while it was being loaded in setup(). May where cured otherwise, where R_n loads it,
    where it is smaller than the work on R_n, which cures too, or than anything beside a record that
    is a true cause; also where it is largest and gets farther without, with half of the heap (30 %
    where R_n loads it). False where the task dies without it all the same: it fits beside what
    outgrows the heap anyway. False too of work space that no file fills. A load without a file is
    may.

`large_framework_buffer.map`
    Change: the sort buffer is halved; and brought down to an eighth. True where half is solid with
    a share of 30 % and it is largest, or four fifths of the input were done and neither a record
    nor larger external data is a true cause; where an eighth cures well and it is largest with half
    of the heap; and where it cannot be allocated. May where an eighth cures otherwise. False where
    the task dies beside an eighth of it all the same.

`large_framework_buffer.shuffle`
    Asked of a death in the shuffle. Change: the ratio is halved. True where cured, and the mean
    partition would have died too; may where cured and the mean partition fits, or where only an
    eighth of it cures.

Joint cures
-----------
Where no single change cures well, pairs and triples of them are tried. The members of the smallest
sets that cure well (where one cures alone, else those that cure) are true with a share of a
quarter, the work on R_n if it was also more than twice that on any record before; else may.
External data and the sort buffer are true only in sets of these two: beside anything else they are
may. Splits, partitions and groups are then judged with the other members of the set cured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from mprof.rules import RULES
from reliability.cures import B91, G3, M1, R2
from reliability.model import End, Task, course_of, end_of
from reliability.of_data import OfData

__all__ = ["CAUSES", "Judge", "Truth", "foreseeable", "truth_of"]

CAUSES: Final = tuple(rule.cause for rule in RULES)
"""The ids that a truth speaks of, in the catalogue's order."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of a task.

    Attributes:
        end: where it died, None where it did not.
        true: causes that must not be denied.
        may: causes that are neither required nor false.
        why: of each cause that is not plainly false, what was tried and what came of it.
    """

    end: End | None
    true: frozenset[str] = frozenset()
    may: frozenset[str] = frozenset()
    why: Mapping[str, str] = field(default_factory=dict)

    def of(self, cause: str) -> str:
        """`true`, `may` or `false`."""
        return "true" if cause in self.true else "may" if cause in self.may else "false"


def truth_of(task: Task) -> Truth:
    """What is true of a task."""
    end = end_of(task)
    if end is None:
        return Truth(None)
    sizes = task.input.sizes
    task = foreseeable(task, end)
    return Judge(task, course_of(task), end, sizes).judge()


def foreseeable(task: Task, end: End) -> Task:
    """The task without surprises after its death.

    No later record is larger, needs more work, and no later group is longer, than the largest that
    it had met by then.
    """
    step, given = end.step, task.input
    if step == 0:
        return task
    sizes, work = given.sizes.copy(), given.work.copy()
    sizes[step:] = np.minimum(sizes[step:], sizes[:step].max())
    work[step:] = np.minimum(work[step:], work[:step].max())
    given = replace(given, sizes=sizes, work=work)
    if given.groups is None:
        return task.having(given)
    at = int(np.searchsorted(given.starts, step - 1, side="right")) - 1
    longest = int(given.groups[: at + 1].max())
    if int(given.groups.max()) > longest:
        everyone = np.arange(len(given.groups))
        given = given.of_groups(everyone, longest)
    return task.having(given)


class Judge(OfData):
    """All changes, one after the other."""

    def judge(self) -> Truth:
        """What is true of the task."""
        place = self.end.place
        if place == "init":
            self._say(B91, "true", "the sort buffer cannot be allocated")
        elif place == "shuffle":
            self._shuffle()
        else:
            self._work()
            self._record()
            self._kept(M1)
            self._kept(R2)
            self._kept(G3)
            self._others_keep()
            self._external()
            self._buffer()
            self._joint()
            self._split()
            self._reducers()
            self._unbalanced()
            self._hot_key()
        words = {
            word: frozenset(cause for cause, (said, _) in self.found.items() if said == word)
            for word in ("true", "may")
        }
        why = {cause: f"{word}: {reason}" for cause, (word, reason) in self.found.items()}
        return Truth(self.end, words["true"], words["may"], why)
