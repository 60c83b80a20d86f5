"""Situations in which calls are under way."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time

import tidings
from tidings import Record
from tidings.rpc.errors import RPCError
from tidings.rpc.v1.health_pb2 import CheckRequest

from situation import USER, Seen, client, free_endpoint, network, save, serving, situation, timed


async def waiting(caller: tidings.Client) -> asyncio.Task[object]:
    """A call for which the server waits, until a record is saved."""
    pages = aiter(caller.database().changes(follow=True))
    await anext(pages)
    task: asyncio.Task[object] = asyncio.ensure_future(anext(pages))
    await asyncio.sleep(0.5)
    return task


@situation("`kill -9` of the server, and a start 1 s later, with a call that waits", 6)
async def killed() -> Seen:
    async with serving() as server, client(server.rpc) as caller:
        await save(server, "a")
        task = await waiting(caller)
        await asyncio.to_thread(server.kill)
        await asyncio.sleep(1)
        await asyncio.to_thread(server.start)
        begin = time.monotonic()
        await save(server, "b")
        await task
        return Seen("a followed feed goes on", time.monotonic() - begin)


@situation("`kill -9` of the server while saves are under way, and a start 1 s later", 8)
async def killed_saving() -> Seen:
    async with serving() as server, client(server.rpc) as caller:
        database = caller.database()
        await database.save(Record("Notes", "a"))
        names = [f"n{number}" for number in range(200)]
        work = [asyncio.ensure_future(database.save(Record("Notes", name))) for name in names]
        await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
        begin = time.monotonic()
        await asyncio.to_thread(server.kill)
        await asyncio.sleep(1)
        await asyncio.to_thread(server.start)
        ended = await asyncio.gather(*work, return_exceptions=True)
        seconds = time.monotonic() - begin
        failed = sum(isinstance(one, BaseException) for one in ended)
        async with server.client(user=USER) as reader:
            found = [name async for page in reader.database().changes() for name in page.changed]
        assert len(found) >= 201 - failed
        return Seen(f"{200 - failed} of 200 saves succeed, each done once", seconds)


@situation("the server stops (SIGTERM), with a call that waits", 3)
async def stopped() -> Seen:
    async with serving() as server, client(server.rpc) as caller:
        await save(server, "a")
        task = await waiting(caller)
        begin = time.monotonic()
        await asyncio.to_thread(server.end, signal.SIGTERM)
        seconds = time.monotonic() - begin
        task.cancel()
        return Seen("it answers what waits, and ends", seconds)


@situation("the server stands still for 5 s", 6)
async def paused_shortly() -> Seen:
    async with serving() as server, client(server.rpc) as caller:
        await caller.health.check(CheckRequest())
        with server.paused():
            task = asyncio.ensure_future(timed(caller.health.check(CheckRequest())))
            await asyncio.sleep(5)
        return await task


@situation("the server stands still", 11)
async def paused() -> Seen:
    async with serving() as server, client(server.rpc) as caller:
        await caller.health.check(CheckRequest())
        with server.paused():
            return await timed(caller.health.check(CheckRequest()))


async def until_answered(caller: tidings.Client) -> None:
    while True:
        with contextlib.suppress(tidings.TidingsError):
            await caller.health.check(CheckRequest(), timeout=2.0)
            return


@situation("a router forgets the connection: what it carries vanishes", 25)
async def forgotten() -> Seen:
    async with serving() as server, network(server.rpc) as path, client(path.endpoint) as caller:
        await caller.health.check(CheckRequest())
        path.forget()
        begin = time.monotonic()
        first = await timed(caller.health.check(CheckRequest()))
        await until_answered(caller)
        return Seen(
            f"{first.what} after {first.seconds:.0f} s; a later one is answered",
            time.monotonic() - begin,
        )


@situation("the same with two endpoints", 6)
async def forgotten_of_two() -> Seen:
    async with serving() as server, network(server.rpc) as path:
        async with client([path.endpoint, free_endpoint()]) as caller:
            await caller.health.check(CheckRequest())
            path.forget()
            return await timed(caller.health.check(CheckRequest()))


@situation("a router forgets the connection, and resets it when it is used", 2)
async def reset() -> Seen:
    async with serving() as server, network(server.rpc) as path, client(path.endpoint) as caller:
        await caller.health.check(CheckRequest())
        path.refuse()
        return await timed(
            caller.health.check(CheckRequest()), "the call is repeated, and answered"
        )


@situation("nothing passes for 30 s, then everything", 35)
async def partition() -> Seen:
    async with serving() as server, network(server.rpc) as path, client(path.endpoint) as caller:
        await caller.health.check(CheckRequest())
        path.is_dark = True
        await asyncio.sleep(30)
        path.is_dark = False
        return await timed(until_answered(caller), "calls are answered again")


@situation("connections are cut after 60 kB; a zone of 300 kB is fetched", 20)
async def cut() -> Seen:
    async with serving() as server, network(server.rpc) as path:
        await fill(server.rpc, 300, 1_000)
        path.bytes_max = 60_000
        async with client(path.endpoint) as caller:
            return await timed(fetch(caller, 300), "smaller pages pass")


async def fill(endpoint: str, count: int, size: int) -> None:
    async with tidings.Client(endpoint, user=USER, timeout=600) as writer:
        await writer.database().save_zone("notes")
        for first in range(0, count, 100):
            await writer.database().save_all(
                [
                    Record(
                        "Notes", f"n{number}", {"text": os.urandom(size // 2).hex()}, zone="notes"
                    )
                    for number in range(first, min(count, first + 100))
                ]
            )


async def fetch(caller: tidings.Client, count: int, *, follow: bool = False) -> None:
    found = 0
    async for page in caller.database().changes("notes", follow=follow):
        found += len(page.changed)
        if found == count:
            break
    assert found == count


@situation("100 kB a second; a zone of 8 MB in records of 10 kB is fetched", 133)
async def slow() -> Seen:
    async with serving() as server, network(server.rpc) as path:
        await fill(server.rpc, 800, 10_000)
        path.rate = 100_000
        async with client(path.endpoint) as caller:
            seen = await timed(fetch(caller, 800), "smaller pages pass")
        return Seen(f"{seen.what}: {8_000 / seen.seconds:.0f} kB/s useful", seen.seconds)


@situation("100 kB a second; a zone of 2 MB in records of 1 kB is fetched", 33)
async def slow_small() -> Seen:
    async with serving() as server, network(server.rpc) as path:
        await fill(server.rpc, 2_000, 1_000)
        path.rate = 100_000
        async with client(path.endpoint) as caller:
            seen = await timed(fetch(caller, 2_000), "pages pass")
        return Seen(f"{seen.what}: {2_000 / seen.seconds:.0f} kB/s useful", seen.seconds)


@situation("100 kB a second; a feed with large pages is followed", 12)
async def slow_followed() -> Seen:
    async with serving() as server, network(server.rpc) as path:
        await fill(server.rpc, 400, 10_000)
        path.rate = 100_000
        reports: asyncio.Queue[RPCError | None] = asyncio.Queue()
        async with client(path.endpoint) as caller:
            pages = caller.database().changes(
                "notes", follow=True, on_connection=reports.put_nowait
            )
            begin = time.monotonic()
            task = asyncio.ensure_future(anext(aiter(pages)))
            report = await reports.get()
            seconds = time.monotonic() - begin
            await task
        return Seen(f"it reports `{report}`, then smaller pages", seconds)
