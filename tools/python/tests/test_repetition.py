"""Calls that are retried after their answer was lost, when others have changed something since."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any

import pytest
from conftest import ClientMaker
from peer import Peer
from relay import LosingRelay
from server import Server

import tidings
from tidings import Record, RecordID, ZoneID
from tidings.v1.notification_service_pb2 import ModifyBadgeRequest
from tidings.v1.record_service_pb2 import ModifyRecordsRequest
from tidings.v1.zone_service_pb2 import FetchRecordZonesRequest, ModifyRecordZonesRequest


@pytest.fixture
def relay(shared_server: Server) -> Iterator[LosingRelay]:
    relay = LosingRelay(shared_server.rpc)
    yield relay
    relay.close()


async def repeated(
    relay: LosingRelay,
    call: Coroutine[Any, Any, None],
    is_done: Callable[[], Awaitable[bool]],
    between: Callable[[], Awaitable[object]],
) -> None:
    """Makes a call whose answer is lost; ``between`` runs before the retry."""
    relay.loses = True
    task = asyncio.ensure_future(call)
    while True:
        if await is_done():
            break
        await asyncio.sleep(0.005)
    await between()
    # Then nothing more arrives on this connection: the answer can only be that of the retry.
    await asyncio.to_thread(relay.has_lost.wait)
    relay.loses = False
    relay.cut()
    await task
    assert relay.connections > 1


def phone(relay: LosingRelay, user: str) -> tidings.Client:
    return tidings.Client(
        relay.endpoint, user=user, device="phone", timeout=600.0, connect_timeout=600.0
    )


@pytest.mark.parametrize("is_created_again", [True, False])
async def test_a_new_zone_survives_the_retried_deletion_of_the_old_one(
    make_client: ClientMaker, relay: LosingRelay, user: str, is_created_again: bool
) -> None:
    async with make_client(device="laptop") as laptop, phone(relay, user) as client:
        here, there = client.database(), laptop.database()
        await here.save_zone("trips")

        async def is_done() -> bool:
            return "trips" not in {zone.zone_id.zone_name for zone in await there.zones()}

        async def create_again() -> None:
            if is_created_again:
                await there.save_zone("trips")
                await there.save(Record("Places", "p", {"n": 1}, zone="trips"))

        await repeated(relay, here.delete_zone("trips"), is_done, create_again)
        assert await is_done() is not is_created_again
        if is_created_again:
            assert (await there.fetch(RecordID("p", ZoneID("trips"))))["n"] == 1


async def test_retried_calls_keep_their_generated_key() -> None:
    async with Peer() as peer, peer.client() as client:
        calls = [
            asyncio.ensure_future(one)
            for one in (
                client.zones.modify_record_zones(ModifyRecordZonesRequest()),
                client.zones.modify_record_zones(ModifyRecordZonesRequest()),
                client.zones.modify_record_zones(ModifyRecordZonesRequest(), idempotency_key="k"),
                client.notifications.modify_badge(ModifyBadgeRequest()),
                client.zones.fetch_record_zones(FetchRecordZonesRequest()),
            )
        ]
        first = [await peer.receive() for _ in calls]
        await peer.lose_connection()
        second = [await peer.receive() for _ in calls]
        keys = {one.header.call_id: one.header.idempotency_key for one in first}
        assert keys == {one.header.call_id: one.header.idempotency_key for one in second}
        assert len(set(keys.values())) == 5
        assert {"", "k"} < set(keys.values())
        assert all(len(key) <= 64 for key in keys.values())
        for one in second:
            await one.answer()
        await asyncio.gather(*calls)


async def test_calls_that_are_not_retried_have_no_key() -> None:
    policy = tidings.RetryPolicy(attempts_max=1)
    async with Peer() as peer, peer.client() as client, peer.client(retry=policy) as once:
        calls = [
            asyncio.ensure_future(client.records.modify_records(ModifyRecordsRequest())),
            asyncio.ensure_future(once.zones.modify_record_zones(ModifyRecordZonesRequest())),
        ]
        for _ in calls:
            heard = await peer.receive()
            assert heard.header.idempotency_key == ""
            await heard.answer()
        await asyncio.gather(*calls)
