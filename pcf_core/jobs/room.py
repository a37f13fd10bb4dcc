"""What a process that scores needs of a machine, and how many of them a cluster has room for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pcf_core.errors import ScoringError
from pcf_core.settings import Settings


@dataclass(frozen=True)
class Machine:
    """CPUs and GPUs that a machine of the cluster offers."""

    cpus: int
    gpus: int = 0


@dataclass(frozen=True)
class Needs:
    """CPUs and GPUs of one process."""

    cpus: int
    gpus: int

    def room(self, machines: Sequence[Machine]) -> int:
        """How many such processes the machines hold together."""
        return sum(
            min(machine.cpus // self.cpus, machine.gpus // self.gpus if self.gpus else machine.cpus)
            for machine in machines
        )


def needs_of(settings: Settings, machines: Sequence[Machine]) -> Needs:
    """One GPU, or with PCF_DEVICE=split those of a whole machine, or as many CPUs as PCF_THREADS says.

    Where machines differ, the smallest decides what a whole one is.

    Raises:
        ScoringError: no machine of the cluster has that much.
    """
    cards = [machine.gpus for machine in machines if machine.gpus]
    cores = [machine.cpus for machine in machines if machine.cpus]
    kind = settings.device.partition(":")[0]
    if kind == "cuda" or (cards and kind in ("auto", "split")):
        needs = Needs(cpus=1, gpus=min(cards, default=1) if kind == "split" else 1)
    else:
        needs = Needs(cpus=settings.threads or min(cores, default=1), gpus=0)
    if not needs.room(machines):
        offered = "; ".join(f"{machine.cpus} and {machine.gpus}" for machine in machines) or "no machine"
        raise ScoringError(
            f"No machine of the Ray cluster has room for a process (CPUs: {needs.cpus}, GPUs: {needs.gpus}; "
            f"there are: {offered}): change PCF_DEVICE or PCF_THREADS, or add machines."
        )
    return needs
