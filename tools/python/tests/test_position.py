"""The bytes of a position."""

from __future__ import annotations

import hashlib

import pytest

from tidings.inbox.errors import PositionDamaged
from tidings.inbox.ledger import Ledger
from tidings.inbox.position import InboxPosition, PositionOwner
from tidings.inbox.progress import BEYOND_MAX, PageEnd, Progress
from tidings.v1.notification_pb2 import Notification, SubscriptionPosition

OWNER = PositionOwner("ada", "home", 2)


def test_positions_round_trip() -> None:
    position = InboxPosition(
        OWNER, Progress(b"\x00token", {"12": 300, "7": 2**63}, frozenset({"7-1"}))
    )
    assert InboxPosition.from_bytes(position.to_bytes()) == position


def test_the_bytes_are_those_of_the_swift_client() -> None:
    body = b"TdgInbox\x01\x03ada\x04home\x02\x02tk\x01\x0212\xac\x02\x01\x037-1"
    position = InboxPosition(OWNER, Progress(b"tk", {"12": 300}, frozenset({"7-1"})))
    assert position.to_bytes() == body + hashlib.sha256(body).digest()[:16]


def test_damaged_bytes_are_refused() -> None:
    data = InboxPosition(OWNER, Progress(b"t")).to_bytes()
    cut = data[:12]
    cut += hashlib.sha256(cut).digest()[:16]
    newer = b"TdgInbox\x02" + data[9:]
    for wrong, reason in [
        (b"", "not the position"),
        (data[:-1] + b"x", "checksum"),
        (cut, "unexpected end"),
        (newer, "version 2"),
    ]:
        with pytest.raises(PositionDamaged, match=reason):
            InboxPosition.from_bytes(wrong)


def test_progress_is_exact() -> None:
    def event(channel: str, number: int) -> Notification:
        position = SubscriptionPosition(channel_id=channel, sequence_number=number)
        return Notification(position=position)

    progress = Progress(b"1").handed_out(event("a", 1)).handed_out(event("b", 4))
    assert progress == Progress(b"1", {"a": 1, "b": 4})
    assert progress.ended(PageEnd(b"2", False, frozenset({"a"}))) == Progress(b"2", {"b": 4})
    assert progress.ended(PageEnd(b"2", True)) == Progress(b"2")
    for n in range(BEYOND_MAX + 1):
        assert not Progress(b"", {str(k): 1 for k in range(n)}).is_full
    assert Progress(b"", {str(k): 1 for k in range(BEYOND_MAX + 1)}).is_full


def test_a_ledger_commits_what_needs_no_work() -> None:
    ledger = Ledger(Progress(b"0"))
    ledger.begin()
    assert ledger.advance(Progress(b"1")) and ledger.committed == Progress(b"1")
    count = ledger.hand_out(Progress(b"2"), is_wanted=True)
    assert not ledger.advance(Progress(b"3")) and ledger.committed == Progress(b"1")
    assert ledger.commit(Progress(b"2"), count)
    assert ledger.advance(Progress(b"3"))
