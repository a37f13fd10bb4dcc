"""What one process takes of a cluster, and how many there is room for."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import ScoringError
from pcf_core.core.settings import Settings
from pcf_core.work.ray_worker import Machine, Needs, needs_of

FOUR = (Machine(cpus=64, gpus=8),) * 4


def settings_with(device: str = "auto", threads: int = 0) -> Settings:
    return Settings(cache=Path("unused"), device=device, threads=threads)


@pytest.mark.parametrize(
    ("device", "threads", "machines", "needs", "room"),
    [
        ("auto", 0, FOUR, Needs(1, 1), 32),
        ("cuda:1", 0, FOUR, Needs(1, 1), 32),  # which GPU it is, Ray decides
        ("split", 0, FOUR, Needs(1, 8), 4),
        ("split", 0, (*FOUR, Machine(16, 4)), Needs(1, 4), 9),
        ("cpu", 0, FOUR, Needs(64, 0), 4),
        ("cpu", 16, FOUR, Needs(16, 0), 16),
        ("auto", 0, (Machine(8), Machine(4)), Needs(4, 0), 3),
        ("auto", 1, (Machine(1), Machine(1)), Needs(1, 0), 2),
        ("split", 2, (Machine(8), Machine(0)), Needs(2, 0), 4),
        ("cuda", 0, (Machine(0, 8), Machine(4, 8)), Needs(1, 1), 4),  # a process needs a CPU, too
    ],
)
def test_worked_examples(
    device: str, threads: int, machines: tuple[Machine, ...], needs: Needs, room: int
) -> None:
    found = needs_of(settings_with(device, threads), machines)
    assert (found, found.room(machines)) == (needs, room)


@given(
    st.builds(Needs, st.integers(1, 9), st.integers(0, 4)),
    st.lists(st.builds(Machine, st.integers(0, 40), st.integers(0, 9)), max_size=5),
)
def test_room_is_what_fits_when_tried(needs: Needs, machines: list[Machine]) -> None:
    """Against taking from each machine until it has not enough left."""
    count = 0
    for machine in machines:
        cpus, gpus = machine.cpus, machine.gpus
        while cpus >= needs.cpus and gpus >= needs.gpus:
            cpus, gpus, count = cpus - needs.cpus, gpus - needs.gpus, count + 1
    assert needs.room(machines) == count


@pytest.mark.parametrize(
    ("device", "threads", "machines", "says"),
    [
        ("cuda", 0, (Machine(2),), r"CPUs: 1, GPUs: 1; there are: 2 and 0\): change PCF_DEVICE"),
        ("cpu", 16, (Machine(8), Machine(4)), r"CPUs: 16, GPUs: 0; there are: 8 and 0; 4 and 0"),
        ("auto", 0, (), "there are: no machine"),
    ],
)
def test_a_cluster_without_room_is_refused(
    device: str, threads: int, machines: tuple[Machine, ...], says: str
) -> None:
    with pytest.raises(ScoringError, match=says):
        needs_of(settings_with(device, threads), machines)
