"""What became of several records that one call saved and deleted."""

from __future__ import annotations

from dataclasses import dataclass, field

from tidings.errors import ItemError
from tidings.identifiers import RecordID
from tidings.records import Record
from tidings.rpc.errors import TidingsError


@dataclass
class ModifyResult:
    """What became of several records."""

    saved: list[Record] = field(default_factory=list)
    """In the order of the call."""
    deleted: list[RecordID] = field(default_factory=list)
    """In the order of the call; deleting what does not exist succeeds."""
    failed: dict[RecordID, ItemError] = field(default_factory=dict)
    """By name; a save without a name has a name of its own here."""
    cascaded: list[RecordID] = field(default_factory=list)
    """What the deletions took along, targets before their sources."""


class PartialFailure(TidingsError):
    """Some of several items failed; ``result`` has what became of each."""

    def __init__(self, result: ModifyResult) -> None:
        first = next(iter(result.failed.values()))
        super().__init__(f"{len(result.failed)} items failed; the first: {first}")
        self.result = result
