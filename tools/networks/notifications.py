"""Situations of programs that wait for notifications."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

import tidings
from server import Server

from relay import Relay
from situation import USER, Seen, client, network, save, serving, situation, subscribe


class _Reader:
    """Reads notifications, and keeps the names of their records."""

    def __init__(self, stream: tidings.NotificationStream) -> None:
        self._stream = stream
        self.names: list[str | None] = []
        self._arrived = asyncio.Event()
        self._task = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        async for notification in self._stream:
            self.names.append(notification.record_name)
            self._arrived.set()

    async def until(self, name: str) -> None:
        while name not in self.names:
            self._arrived.clear()
            await self._arrived.wait()

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self._stream.aclose()


@contextlib.asynccontextmanager
async def listening() -> AsyncIterator[tuple[Server, Relay, Relay, _Reader]]:
    """A reader of notifications; gives the networks of its calls and of its pushes, too."""
    async with serving() as plain:
        push = await Relay(plain.push).start()
        await asyncio.to_thread(plain.kill)
        plain._arguments = ("--advertise-push", push.endpoint)
        await asyncio.to_thread(plain.start)
        await subscribe(plain)
        async with network(plain.rpc) as path, client(path.endpoint) as caller:
            reader = _Reader(caller.notification_stream())
            await save(plain, "before")
            await reader.until("before")
            try:
                yield plain, path, push, reader
            finally:
                await reader.close()
                push.close()


async def notified(server: Server, reader: _Reader, what: str) -> Seen:
    begin = time.monotonic()
    await save(server, "after")
    await reader.until("after")
    assert len(set(reader.names)) == len(reader.names)
    return Seen(what, time.monotonic() - begin)


@situation("`kill -9` of the server, a start 1 s later, and a save", 6)
async def killed() -> Seen:
    async with listening() as (server, _, _, reader):
        await asyncio.to_thread(server.kill)
        await asyncio.sleep(1)
        await asyncio.to_thread(server.start)
        return await notified(server, reader, "the notification arrives, once")


@situation("the connection for pushes is cut, and a save", 2)
async def cut() -> Seen:
    async with listening() as (server, _, push, reader):
        push.cut()
        return await notified(server, reader, "the notification arrives, once")


@situation("a router forgets the connection for pushes, and a save", 25)
async def forgotten() -> Seen:
    async with listening() as (server, _, push, reader):
        push.forget()
        return await notified(server, reader, "the notification arrives, once")


@situation("a router forgets both connections, and a save", 45)
async def both_forgotten() -> Seen:
    async with listening() as (server, path, push, reader):
        push.forget()
        path.forget()
        return await notified(server, reader, "the notification arrives, once")


@situation("a program takes no notification for 20 s, after 2,000 records were saved", 20)
async def slow_consumer() -> Seen:
    async with serving() as server:
        await subscribe(server)
        async with client(server.rpc) as caller, caller.notification_stream() as stream:
            names: set[str | None] = set()
            async with server.client(user=USER, device="writer") as writer:
                for first in range(0, 2_000, 200):
                    await writer.database().save_all(
                        [tidings.Record("Notes", f"n{first + n}") for n in range(200)]
                    )
            await asyncio.sleep(20)
            begin = time.monotonic()
            while len(names) < 2_000:
                names.add((await anext(stream)).record_name)
            return Seen("all notifications arrive, most from the log", time.monotonic() - begin)
