"""Change feeds of a real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TypeVar

import pytest
from conftest import ClientMaker
from server import Server

import tidings
from tidings import Record
from tidings.feeds.database_changes import ZoneDeletion
from tidings.feeds.state import FeedState
from tidings.feeds.zone_changes import ZoneChangesPage

T = TypeVar("T")


async def collect(pages: AsyncIterator[T]) -> list[T]:
    return [page async for page in pages]


async def test_a_zone_is_mirrored_page_by_page(make_client: ClientMaker) -> None:
    async with make_client() as client:
        database = client.database()
        await database.save_zone("notes")
        await database.save_all(
            [Record("Notes", f"n{n}", {"n": n}, zone="notes") for n in range(25)]
        )
        pages = await collect(aiter(database.changes("notes", page_limit=10)))
        assert [page.more_coming for page in pages] == [True, True, False]
        assert [record["n"] for page in pages for record in page.changed] == list(range(25))
        await database.delete(tidings.RecordID("n3", tidings.ZoneID("notes")))
        await database.save(Record("Notes", "new", {"n": 25}, zone="notes"))
        (page,) = await collect(aiter(database.changes("notes", after=pages[-1].change_token)))
        assert [record.name for record in page.changed] == ["new"]
        deleted = tidings.RecordID("n3", tidings.ZoneID("notes"))
        assert page.deleted == [(deleted, "Notes")]
        await database.delete_zone("notes")
        with pytest.raises(tidings.ZoneNotFound):
            await collect(aiter(database.changes("notes", after=page.change_token)))
        await database.save_zone("notes")
        with pytest.raises(tidings.ChangeTokenExpired):
            await collect(aiter(database.changes("notes", after=page.change_token)))


async def test_zones_that_changed(make_client: ClientMaker) -> None:
    async with make_client() as client:
        database = client.database()
        await database.save_zone("a")
        await database.save_zone("b")
        pages = await collect(aiter(database.zone_changes()))
        assert {zone.name for page in pages for zone in page.changed} >= {"a", "b"}
        await database.delete_zone("a")
        (page,) = await collect(aiter(database.zone_changes(after=pages[-1].change_token)))
        assert page.deleted == [(tidings.ZoneID("a"), ZoneDeletion.DELETED)]


async def test_a_followed_feed_outlives_the_server(server: Server) -> None:
    hasty = server.client(user="ada", connect_timeout=0.2)
    async with server.client(user="ada") as client, hasty:
        database = client.database()
        await database.save_zone("notes")
        feed = aiter(hasty.database().changes("notes", follow=True))
        found: list[str] = []

        async def follow() -> ZoneChangesPage:
            while True:
                page = await anext(feed)
                found.extend(record.name for record in page.changed)
                if "n2" in found:
                    return page

        following = asyncio.ensure_future(follow())
        await database.save(Record("Notes", "n1", zone="notes"))
        server.kill()
        server.start()
        await database.save(Record("Notes", "n2", zone="notes"))
        await following
        assert found == ["n1", "n2"]


def test_a_feed_yields_pages_with_changes() -> None:
    state = FeedState(b"", follows=True)
    assert state.next_wait == 0
    assert state.fetched(b"1", more_coming=True, is_empty=False)
    assert state.fetched(b"2", more_coming=False, is_empty=True)
    assert state.next_wait == 50
    assert not state.fetched(b"2", more_coming=False, is_empty=True)
    once = FeedState(b"1", follows=False)
    assert once.fetched(b"1", more_coming=False, is_empty=True)
    assert once.next_wait is None
