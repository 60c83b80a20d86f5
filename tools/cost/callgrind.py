"""Reads what callgrind wrote: the cost of each function."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

EVENTS = {
    "instructions": ("Ir",),
    "D1 misses": ("D1mr", "D1mw"),
    "LL misses": ("ILmr", "DLmr", "DLmw"),
}
"""What is counted, by the names of callgrind's events."""


@dataclass(frozen=True)
class Cost:
    """What something took, in the order of ``EVENTS``."""

    counts: tuple[float, ...] = (0.0,) * len(EVENTS)

    def __add__(self, other: Cost) -> Cost:
        return Cost(tuple(a + b for a, b in zip(self.counts, other.counts, strict=True)))

    def per(self, calls: int) -> Cost:
        """The share of one of so many calls."""
        return Cost(tuple(count / calls for count in self.counts))

    @property
    def instructions(self) -> float:
        """How many instructions were executed."""
        return self.counts[0]


Profile = dict[str, Cost]
"""The cost of each function itself, without what it calls."""


def total(profile: Profile) -> Cost:
    """The cost of all functions together."""
    return sum(profile.values(), Cost())


def read(path: Path) -> Profile:
    """Reads a file that callgrind wrote without compressed names."""
    columns: list[list[int]] = []
    costs: dict[str, list[int]] = {}
    library = function = ""
    is_of_callee = False
    for line in path.read_text(errors="replace").splitlines():
        key, _, value = line.partition("=")
        if line[:1].isdigit():
            # What follows a line of calls is the cost of the callee.
            if not is_of_callee:
                numbers = [int(word) for word in line.split()[1:]]
                sums = costs.setdefault(function, [0] * len(columns))
                for index, column in enumerate(columns):
                    sums[index] += sum(numbers[one] for one in column if one < len(numbers))
            is_of_callee = False
        elif key == "calls":
            is_of_callee = True
        elif key == "ob":
            library = Path(value).name
        elif key == "fn":
            function = _name(value, library)
        elif line.startswith("events: "):
            names = line.split()[1:]
            columns = [[names.index(event) for event in events] for events in EVENTS.values()]
    return {name: Cost(tuple(map(float, counts))) for name, counts in costs.items()}


def add(profiles: Iterable[Profile]) -> Profile:
    """The sum of several profiles."""
    sums: Profile = {}
    for profile in profiles:
        for name, cost in profile.items():
            sums[name] = sums.get(name, Cost()) + cost
    return sums


def _name(function: str, library: str) -> str:
    """Functions without a name are one for each library, and so are those that call themselves."""
    if function.startswith(("0x", "???")):
        return f"({re.sub(r'[.]so.*', '', library)})"
    return re.sub(r"'\d+$", "", function)
