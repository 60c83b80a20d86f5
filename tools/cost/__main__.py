"""Counts what calls take, and compares it with what is expected; tools/check-cost runs it."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import callgrind
import counting
from expected import LISTED_PART, TOLERANCE, Difference, Expected, named
from versions import current_versions


def main() -> int:
    """Returns what the program exits with."""
    parser = argparse.ArgumentParser(prog="tools/check-cost")
    parser.add_argument("--rpcd", type=Path, required=True)
    parser.add_argument("--slow-clock", type=Path, required=True)
    parser.add_argument("--thresholds", type=Path, required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--profile", type=Path)
    options = parser.parse_args()
    files = options.thresholds / "cost.txt", options.thresholds / "cost-functions.txt"
    expected = Expected.read(*files)
    with tempfile.TemporaryDirectory(prefix="tidings-cost-") as folder:
        counts = counting.count(options.rpcd, options.slow_clock, Path(folder))
    print(_table(counts, expected))
    if options.profile:
        options.profile.write_text("".join(_profile(case, counts[case]) for case in counts))
    versions = current_versions()
    if options.update:
        expected.write(counts, versions, *files)
        return 0
    return _verdict(expected, counts, versions)


def _table(counts: counting.Counts, expected: Expected) -> str:
    """A line for each case: what was counted, and by how much it is more than expected."""
    lines = [
        "case".ljust(16) + "".join(event.rjust(16) + "".rjust(9) for event in callgrind.EVENTS)
    ]
    for case, profile in counts.items():
        numbers = callgrind.total(profile).counts
        cells = []
        for number, before in zip(
            numbers, expected.totals.get(case, (None,) * len(numbers)), strict=True
        ):
            change = f"{number / before - 1:+.1%}" if before else "-"
            cells.append(f"{number:16,.1f}{change:>9}")
        lines.append(case.ljust(16) + "".join(cells))
    return "\n".join(lines) + "\n"


def _verdict(expected: Expected, counts: counting.Counts, versions: str) -> int:
    differences = expected.differences(counts)
    more = [one for one in differences if one.part > 0]
    missing = expected.missing(counts)
    if (more or missing) and versions != expected.versions:
        _complain(f"the numbers are of {expected.versions or 'nothing'}; here are {versions}")
    for case in missing:
        _complain(f"{case} has no numbers: tools/check-cost --update writes them")
    for one in more:
        _complain(f"{_described(one)}: more than {TOLERANCE:.0%}")
    for case in dict.fromkeys(one.case for one in more):
        for name, before, now in expected.grown(case, counts[case]):
            print(f"{case:<16}{before:9,.0f} →{now:9,.0f}  {name}")
    if more:
        _complain("if it is worth that, write the numbers with --update, and say in the commit why")
    for one in differences:
        if one.part < 0:
            print(f"{_described(one)}; tools/check-cost --update notes it")
    return 1 if more or missing else 0


def _described(one: Difference) -> str:
    counted, expected = f"{one.counted:,.1f}", f"{one.expected:,.1f}"
    return f"{one.case}: {counted} {one.event}, expected {expected} ({one.part:+.1%})"


def _profile(case: str, profile: callgrind.Profile) -> str:
    """All functions of a case with a share that can be seen."""
    cost = callgrind.total(profile)
    lines = [f"{case}: {' '.join(f'{count:,.1f}' for count in cost.counts)} (all)\n"]
    for name, own in sorted(named(profile).items(), key=lambda one: -one[1].instructions):
        shares = [one / whole for one, whole in zip(own.counts, cost.counts, strict=True) if whole]
        if max(shares) >= LISTED_PART:
            instructions, data, last = own.counts
            numbers = f"{instructions:10,.0f} {shares[0]:6.1%} {data:8.1f} {last:8.2f}"
            lines.append(f"{numbers}  {name}\n")
    return "".join(lines) + "\n"


def _complain(text: str) -> None:
    print(f"tools/check-cost: {text}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
