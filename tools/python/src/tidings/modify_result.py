"""The result of a call that saves and deletes records."""

from __future__ import annotations

from dataclasses import dataclass, field

from tidings.errors import ItemError
from tidings.identifiers import RecordID
from tidings.records import Record
from tidings.rpc.errors import TidingsError


@dataclass
class ModifyResult:
    """The result of a call that saves and deletes records."""

    saved: list[Record] = field(default_factory=list)
    """In the order of the call."""
    deleted: list[RecordID] = field(default_factory=list)
    """In the order of the call, including records that did not exist."""
    failed: dict[RecordID, ItemError] = field(default_factory=dict)
    """Errors by record; a record without a name gets a random one here."""
    cascaded: list[RecordID] = field(default_factory=list)
    """Cascaded deletions, targets before their sources."""


class PartialFailure(TidingsError):
    """Some items of a call failed; ``result`` contains the outcome of each."""

    def __init__(self, result: ModifyResult) -> None:
        first = next(iter(result.failed.values()))
        super().__init__(f"{len(result.failed)} items failed; the first: {first}")
        self.result = result
