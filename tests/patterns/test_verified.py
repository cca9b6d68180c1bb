"""What the run of R_n alone proves, by how it ended, in which room."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest
from builders.evidence import map_attempt

from mprof.evidence import Unknown, Verification
from mprof.patterns import OF_THE_RECORD, alone_of

NOT_TRIED = Unknown("a run with R_n only", "verify")


@pytest.mark.parametrize(
    ("died", "same_room", "alone"),
    [
        (True, False, "dies"),
        (True, True, "dies in that room"),
        (False, True, "passes"),
        # in an empty heap there is room for what it needs: nothing follows
        (False, False, None),
    ],
)
def test_the_end_of_r_n_alone_proves_what_its_room_allows(
    died: bool, same_room: bool, alone: str | None
) -> None:
    for growth in (0, 10**9, Unknown("growth in a run that died", "none")):
        run = Verification(True, growth, died=died, same_room=same_room)
        assert alone_of(map_attempt(verification=run)) == alone


@pytest.mark.parametrize(
    ("died", "control", "alone"),
    [
        (True, "lived", "dies where another lives"),
        # where an ordinary record dies too, that R_n does is no matter of R_n
        (True, "died", "dies in that room"),
        (False, "lived", "passes"),
    ],
)
def test_an_ordinary_record_in_the_same_room_is_the_control(
    died: bool, control: Literal["lived", "died"], alone: str
) -> None:
    run = Verification(True, 0, died=died, same_room=True, control=control)
    found = alone_of(map_attempt(verification=run))
    assert found == alone
    assert (found in OF_THE_RECORD) == (alone == "dies where another lives")


@pytest.mark.parametrize("died", [True, False])
@pytest.mark.parametrize("same_room", [True, False])
def test_where_r_n_was_not_met_nothing_is_proven(died: bool, same_room: bool) -> None:
    run = Verification(False, 0, died=died, same_room=same_room)
    assert alone_of(map_attempt(verification=run)) is None


def test_where_it_was_not_tried_nothing_is_proven() -> None:
    assert alone_of(replace(map_attempt(), verification=NOT_TRIED)) is None
