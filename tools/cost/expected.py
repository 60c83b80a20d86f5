"""The numbers that are checked in, and what has changed since."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import callgrind
from counting import Counts

TOLERANCE = 0.02
"""More by a larger part is a failure."""
LISTED_PART = 0.005
"""Functions with a smaller part of a call's instructions are not listed."""
_SEEN_PART = 0.001
"""A function that grew by a smaller part of the call is not shown."""
_GROWN_MAX = 15
_NAME_MAX = 110
_NOT_COMPARED = "-"

_TOTALS_HEAD = """\
# What a call takes of rpcd: instructions, misses of the first cache of data (D1), and of the last
# cache (LL). tools/check-cost counts them, fails where one is {percent:.0f} % more, and writes this
# file with --update. A "-" is not compared, because it differs from run to run.
# Counted with {versions}.
"""
_FUNCTIONS_HEAD = """\
# The functions with most instructions of a call, without what they call; tools/check-cost --update
# writes this file.
"""


@dataclass(frozen=True)
class Difference:
    """A number that is not what was expected."""

    case: str
    event: str
    expected: float
    counted: float

    @property
    def part(self) -> float:
        """By how much it is more."""
        return self.counted / self.expected - 1


@dataclass(frozen=True)
class Expected:
    """What was counted when the numbers were last written."""

    totals: dict[str, tuple[float | None, ...]]
    """By case, in the order of the events; ``None`` is not compared."""
    functions: dict[str, dict[str, float]]
    """Instructions by case and function."""
    versions: str
    """What else decides how much a call takes."""

    @classmethod
    def read(cls, totals: Path, functions: Path) -> Expected:
        """Reads both files; without them, nothing is expected."""
        by_case: dict[str, tuple[float | None, ...]] = {}
        by_function: dict[str, dict[str, float]] = {}
        versions = ""
        for line in _lines(totals):
            if line.startswith("# Counted with "):
                versions = line.removeprefix("# Counted with ").rstrip(".")
            elif not line.startswith("#"):
                case, *numbers = line.split()
                by_case[case] = tuple(
                    None if one == _NOT_COMPARED else float(one) for one in numbers
                )
        for line in _lines(functions):
            if not line.startswith("#"):
                case, instructions, function = line.split(maxsplit=2)
                by_function.setdefault(case, {})[function] = float(instructions)
        return cls(by_case, by_function, versions)

    def differences(self, counts: Counts) -> list[Difference]:
        """All that is more or less than expected by more than the tolerance."""
        return [
            one
            for case, profile in counts.items()
            for one in self._comparisons(case, callgrind.total(profile))
            if abs(one.part) > TOLERANCE
        ]

    def _comparisons(self, case: str, cost: callgrind.Cost) -> Iterable[Difference]:
        expected = self.totals.get(case, ())
        for event, number, counted in zip(callgrind.EVENTS, expected, cost.counts, strict=False):
            if number is not None:
                yield Difference(case, event, number, counted)

    def missing(self, counts: Counts) -> list[str]:
        """Cases that have no numbers."""
        return [case for case in counts if case not in self.totals]

    def grown(self, case: str, profile: callgrind.Profile) -> list[tuple[str, float, float]]:
        """The functions that took more instructions than expected: names, before and now."""
        before = self.functions.get(case, {})
        now = named(profile)
        # What was not listed took less than the smallest that was.
        unlisted = min(before.values(), default=0)
        changes = [
            (name, before.get(name, unlisted), cost.instructions) for name, cost in now.items()
        ]
        seen = _SEEN_PART * callgrind.total(profile).instructions
        changes = [one for one in changes if one[2] - one[1] >= seen]
        changes.sort(key=lambda one: one[1] - one[2])
        return changes[:_GROWN_MAX]

    def write(self, counts: Counts, versions: str, totals: Path, functions: Path) -> None:
        """Writes new numbers; what is not compared stays so."""
        lines = [_TOTALS_HEAD.format(percent=TOLERANCE * 100, versions=versions)]
        listed = [_FUNCTIONS_HEAD]
        for case, profile in counts.items():
            cost = callgrind.total(profile)
            before = self.totals.get(case, cost.counts)
            words = [
                _NOT_COMPARED if one is None else f"{now:.1f}"
                for one, now in zip(before, cost.counts, strict=True)
            ]
            lines.append(f"{case:<16}" + "".join(f"{word:>12}" for word in words) + "\n")
            by_cost = sorted(named(profile).items(), key=lambda one: -one[1].instructions)
            for name, own in by_cost:
                if own.instructions >= LISTED_PART * cost.instructions:
                    listed.append(f"{case:<16}{own.instructions:>9.0f}  {name}\n")
        totals.write_text("".join(lines))
        functions.write_text("".join(listed))


def named(profile: callgrind.Profile) -> callgrind.Profile:
    """The same with names for people, which several functions may share."""
    names = list(profile)
    words = ["swift", "demangle", "--compact", "--simplified"]
    answer = subprocess.run(
        words, input="\n".join(names), capture_output=True, text=True, check=True
    )
    readable = [name[:_NAME_MAX].strip() for name in answer.stdout.splitlines()]
    return callgrind.add(
        {name: profile[symbol]} for symbol, name in zip(names, readable, strict=True)
    )


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []
