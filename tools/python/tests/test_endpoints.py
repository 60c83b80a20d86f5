"""A client with a list of endpoints: servers that end, hang, drain or come back."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from peer import Peer, refusal
from ports import ReservedPort
from server import Server

import tidings
from tidings.rpc.errors import error_info
from tidings.rpc.v1.health_pb2 import CheckRequest
from tidings.v1.admin_service_pb2 import DRAIN_ACTION_DRAIN, DrainRequest
from tidings.v1.record_service_pb2 import ModifyRecordsRequest

PATIENT: dict[str, Any] = {"user": "ada", "timeout": 600.0, "connect_timeout": 600.0}


def make_client(*endpoints: str, **settings: Any) -> tidings.Client:
    return tidings.Client(endpoints, **{**PATIENT, **settings})


async def save(client: tidings.Client, name: str) -> None:
    await client.database().save(tidings.Record("Notes", name))


async def names(server: Server) -> set[str]:
    async with server.client(user="ada") as client:
        return {record.name async for record in client.database().query("Notes")}


def servers(folder: Path) -> tuple[Server, Server]:
    for name in ("first", "second"):
        (folder / name).mkdir()
    return Server(folder / "first"), Server(folder / "second")


async def test_the_second_server_is_used_after_the_first_is_killed(tmp_path: Path) -> None:
    first, second = servers(tmp_path)
    with first, second:
        async with make_client(first.rpc, second.rpc) as client:
            await save(client, "a")
            assert await names(first) == {"a"}
            first.kill()
            await save(client, "b")
            assert await names(second) == {"b"}


async def test_a_server_that_is_stopped_is_noticed(tmp_path: Path) -> None:
    first, second = servers(tmp_path)
    with first, second:
        async with make_client(first.rpc, second.rpc) as client:
            await save(client, "a")
            with first.paused():
                await save(client, "b")
                async with make_client(first.rpc, second.rpc) as late:
                    await save(late, "c")
            assert await names(second) == {"b", "c"}


async def test_a_server_that_drains_gets_no_more_calls(tmp_path: Path) -> None:
    first, second = servers(tmp_path)
    with first, second:
        async with make_client(first.rpc, second.rpc) as client:
            await save(client, "a")
            async with first.client(user="ada") as operator:
                await operator.administration.drain(DrainRequest(action=DRAIN_ACTION_DRAIN))
            # Without a key it could not be sent again, had the server begun it.
            request = ModifyRecordsRequest(database_id=client.database_id())
            request.records_to_save.add(record_type="Notes").record_id.record_name = "b"
            answer = await client.records.modify_records(request)
            assert answer.results[0].HasField("record")
            assert await names(second) == {"b"}


async def test_nobody_listens_at_the_first_endpoint(tmp_path: Path) -> None:
    gone = ReservedPort()
    with Server(tmp_path) as server:
        async with make_client(gone.endpoint, server.rpc) as client:
            await save(client, "a")
        assert await names(server) == {"a"}


async def test_the_server_that_comes_back_is_used(tmp_path: Path) -> None:
    first, second = servers(tmp_path)
    with first, second:
        async with make_client(first.rpc, second.rpc) as client:
            await save(client, "a")
            first.kill()
            second.kill()
            saved = asyncio.create_task(save(client, "b"))
            second.start()
            await saved
            assert await names(second) == {"b"}


async def test_an_inbox_continues_at_the_push_endpoint_of_the_next_server(tmp_path: Path) -> None:
    first, second = servers(tmp_path)
    # Another server with the same data.
    second.folder = first.folder
    with first:
        async with (
            make_client(first.rpc, second.rpc, device="laptop") as laptop,
            make_client(first.rpc, second.rpc, device="server") as device,
        ):
            await save(device, "r0")
            await laptop.database().save_subscription(tidings.query_subscription("all", "Notes"))
            async with laptop.inbox() as inbox:
                items = aiter(inbox)
                await save(device, "r1")
                seen = [(await anext(items)).notification.record_name]
                first.kill()
                with second:
                    for number in range(2, 6):
                        await save(device, f"r{number}")
                        seen.append((await anext(items)).notification.record_name)
                assert seen == [f"r{number}" for number in range(1, 6)]


async def test_the_error_names_all_endpoints() -> None:
    one, two = ReservedPort(), ReservedPort()
    async with make_client(one.endpoint, two.endpoint, connect_timeout=0.5) as client:
        reason = f"{one.endpoint}: connection refused; {two.endpoint}: connection refused"
        await refusal(client, tidings.Unavailable, reason)
    with pytest.raises(tidings.InvalidArgument, match="twice"):
        async with make_client(one.endpoint, one.endpoint):
            pass
    with pytest.raises(tidings.InvalidArgument, match="empty"):
        async with tidings.Client([]):
            pass


async def test_calls_that_a_draining_server_has_are_answered_by_it() -> None:
    draining = [error_info("DRAINING")]
    async with (
        Peer() as first,
        Peer() as second,
        make_client(first.endpoint, second.endpoint) as client,
    ):
        held = asyncio.create_task(client.health.check(CheckRequest()))
        running = await first.receive()
        refused = asyncio.create_task(client.health.check(CheckRequest()))
        await (await first.receive()).answer(status=14, details=draining)
        await (await second.receive()).answer()
        await refused
        later = asyncio.create_task(client.health.check(CheckRequest()))
        await (await second.receive()).answer()
        await later
        assert not held.done()
        await running.answer()
        await held


async def test_a_call_is_refused_where_all_servers_drain() -> None:
    draining = [error_info("DRAINING")]
    retry = tidings.RetryPolicy(attempts_max=1)
    async with (
        Peer() as first,
        Peer() as second,
        make_client(first.endpoint, second.endpoint, retry=retry) as client,
    ):
        call = asyncio.create_task(client.health.check(CheckRequest()))
        await (await first.receive()).answer(status=14, details=draining)
        await (await second.receive()).answer(status=14, details=draining)
        with pytest.raises(tidings.Unavailable):
            await call
        # It looks again at the first.
        call = asyncio.create_task(client.health.check(CheckRequest()))
        await (await first.receive()).answer()
        await call
