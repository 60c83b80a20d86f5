"""Pages on a network that cuts each connection before a whole page has passed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from relay import CuttingRelay, SlowRelay
from server import Server

import tidings
import tidings.sync
from tidings import Record
from tidings.page_limit import PASSES_MIN, PageLimit
from tidings.rpc.errors import DeadlineExceeded, RPCError, Unavailable, error_info
from tidings.rpc.status import StatusCode
from tidings.v1.notification_pb2 import NotificationInfo

RECORDS = 300
"""Records of about 1 kB: a page of all of them is 5 times what a connection carries."""


@pytest.fixture
def relay(shared_server: Server) -> Iterator[CuttingRelay]:
    relay = CuttingRelay(shared_server.rpc, 60_000)
    yield relay
    relay.close()


def test_a_page_that_is_lost_is_halved_and_grows_again() -> None:
    pages = PageLimit()
    asked = []
    while pages.lost(pages.limit(0)):
        asked.append(pages.limit(0))
    assert asked == [200, 100, 50, 25, 12, 6, 3, 1]
    grown = []
    while pages.limit(0):
        for _ in range(PASSES_MIN):
            pages.passed(pages.limit(0), 0.1)
        grown.append(pages.limit(0))
    assert grown == [2, 4, 8, 16, 32, 64, 128, 256, 0]


def test_a_page_that_takes_long_makes_the_next_one_smaller() -> None:
    pages = PageLimit()
    pages.passed(0, 8.0)
    assert pages.limit(0) == 200
    # Twice as many would take long again.
    for _ in range(3 * PASSES_MIN):
        pages.passed(200, 2.0)
    assert pages.limit(0) == 200
    for _ in range(PASSES_MIN):
        pages.passed(200, 0.5)
    assert pages.limit(0) == 0


async def test_what_is_lost_is_requested_again_and_what_is_refused_is_not() -> None:
    unknown = [error_info("OUTCOME_UNKNOWN")]
    cases: list[tuple[RPCError, int, int]] = [
        (Unavailable(StatusCode.UNAVAILABLE, "cannot reach"), 1, 0),
        (DeadlineExceeded(StatusCode.DEADLINE_EXCEEDED, "late"), 4, 1),
        (Unavailable(StatusCode.UNAVAILABLE, "lost", unknown), 9, 1),
    ]
    for error, count, left in cases:
        pages = PageLimit()
        asked: list[int] = []

        async def call(limit: int, error: RPCError = error, asked: list[int] = asked) -> None:
            asked.append(limit)
            raise error

        with pytest.raises(type(error)):
            await pages.page(0, call)
        assert len(asked) == count
        assert pages.limit(0) == left


async def fill(server: Server, user: str) -> None:
    async with server.client(user=user) as client:
        database = client.database()
        await database.save_zone("notes")
        # A subscription needs a type that is in the schema.
        await database.save(Record("LongNotes", "first", {"text": ""}))
        info = NotificationInfo(desired_keys=["text"])
        await database.save_subscription(tidings.query_subscription("all", "LongNotes", info=info))
        await database.save_all(
            [
                Record("LongNotes", f"n{n}", {"text": "x" * 1000}, zone="notes")
                for n in range(RECORDS)
            ]
        )


async def test_a_page_that_is_too_large_has_fewer_items() -> None:
    too_large = RPCError(
        StatusCode.RESOURCE_EXHAUSTED, "too large", [error_info("FRAME_TOO_LARGE")]
    )

    async def call(limit: int) -> int:
        if not 0 < limit <= 3:
            raise too_large
        return limit

    assert await PageLimit().page(0, call) == 3

    async def refuse(limit: int) -> int:
        raise too_large

    with pytest.raises(RPCError) as info:
        await PageLimit().page(0, refuse)
    assert info.value is too_large


async def test_feeds_and_the_log_pass(
    shared_server: Server, relay: CuttingRelay, user: str
) -> None:
    await fill(shared_server, user)
    async with tidings.Client(relay.endpoint, user=user, device="reader") as client:
        names = [
            record.name
            async for page in client.database().changes("notes")
            for record in page.changed
        ]
        assert names == [f"n{n}" for n in range(RECORDS)]
        assert relay.cuts
        before = relay.cuts
        async with client.notification_stream() as stream:
            names = [(await anext(stream)).record_name for _ in range(RECORDS)]
        assert sorted(names) == sorted(f"n{n}" for n in range(RECORDS))
        assert relay.cuts > before


async def test_a_slow_network_carries_smaller_pages_and_is_reported(
    shared_server: Server, user: str
) -> None:
    async with shared_server.client(user=user) as client:
        database = client.database()
        await database.save_zone("notes")
        await database.save_all(
            [Record("LongNotes", f"n{n}", {"text": "x" * 10_000}, zone="notes") for n in range(200)]
        )
    # All of them in a page take 4 s at least, and time out after 1 s.
    relay = SlowRelay(shared_server.rpc, 500_000)
    reports: list[RPCError | None] = []
    names: list[str] = []
    async with tidings.Client(relay.endpoint, user=user, timeout=1.0) as client:
        feed = client.database().changes("notes", follow=True, on_connection=reports.append)
        async for page in feed:
            names += [record.name for record in page.changed]
            if len(names) == 200:
                break
    relay.close()
    assert names == [f"n{n}" for n in range(200)]
    assert isinstance(reports[0], DeadlineExceeded)
    assert reports[-1] is None


def test_an_inbox_without_asyncio_passes(
    shared_server: Server, relay: CuttingRelay, user: str, tmp_path: Path
) -> None:
    asyncio.run(fill(shared_server, user))
    with tidings.sync.Client(relay.endpoint, user=user, device="reader") as client:
        pages = list(client.database().changes("notes"))
        assert sum(len(page.changed) for page in pages) == RECORDS
        with client.inbox(tmp_path / "position") as inbox:
            items = iter(inbox)
            names = {next(items).notification.record_name for _ in range(RECORDS)}
            inbox.commit()
    assert names == {f"n{n}" for n in range(RECORDS)}
    assert relay.cuts
