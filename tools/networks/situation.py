"""What a situation is, and the servers that situations are tried on."""

from __future__ import annotations

import asyncio
import contextlib
import re
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tidings
from ports import ReservedPort
from server import Server, program
from tidings import Record
from tidings.v1.notification_pb2 import NotificationInfo

from relay import Relay

USER = "ada"


@dataclass(frozen=True)
class Seen:
    """What a user sees, and after how many seconds."""

    what: str
    seconds: float


@dataclass(frozen=True)
class Situation:
    """Something that happens to a network or a server."""

    name: str
    """As the table has it."""
    seconds_max: float
    """A figure above this is a defect, on a machine that is not busy."""
    run: Callable[[], Awaitable[Seen]]


ALL: list[Situation] = []
"""In the order of the table."""


def situation(
    name: str, seconds_max: float
) -> Callable[[Callable[[], Awaitable[Seen]]], Callable[[], Awaitable[Seen]]]:
    """Adds a function to the table."""

    def add(run: Callable[[], Awaitable[Seen]]) -> Callable[[], Awaitable[Seen]]:
        ALL.append(Situation(name, seconds_max, run))
        return run

    return add


@contextlib.asynccontextmanager
async def serving(*arguments: str) -> AsyncIterator[Server]:
    """A server in development mode, with a type of records that is subscribed to."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), *arguments)
        await asyncio.to_thread(server.start)
        try:
            yield server
        finally:
            await asyncio.to_thread(server.kill)


@contextlib.asynccontextmanager
async def network(endpoint: str) -> AsyncIterator[Relay]:
    """A network before an endpoint."""
    relay = await Relay(endpoint).start()
    try:
        yield relay
    finally:
        relay.close()


def client(endpoint: str | list[str], **settings: Any) -> tidings.Client:
    """A client as it is without settings."""
    return tidings.Client(endpoint, **{"user": USER, "device": "reader", **settings})


async def save(server: Server, name: str, fields: dict[str, tidings.Value] | None = None) -> None:
    """Saves a record, from another device and without the network."""
    async with server.client(user=USER, device="writer") as writer:
        await writer.database().save(Record("Notes", name, fields or {}))


async def subscribe(server: Server) -> None:
    """Subscribes to the records that ``save`` makes."""
    await save(server, "first")
    async with server.client(user=USER, device="writer") as writer:
        subscription = tidings.query_subscription("all", "Notes", info=NotificationInfo())
        await writer.database().save_subscription(subscription)


async def timed(work: Awaitable[object], answered: str = "the call is answered") -> Seen:
    """What becomes of some work."""
    begin = time.monotonic()
    try:
        await work
        what = answered
    except (tidings.TidingsError, OSError) as error:
        what = f"the call fails: `{plain(error)}`"
    return Seen(what, time.monotonic() - begin)


def plain(error: BaseException) -> str:
    """An error without what differs between two runs."""
    text = re.sub(r"tcp://[\w.\[\]:-]+", "ENDPOINT", str(error))
    return re.sub(r"'[A-Za-z0-9+/=]{40,}'", "KEY", text)


@contextlib.asynccontextmanager
async def gateway(endpoint: str, *arguments: str) -> AsyncIterator[int]:
    """A gateway before a server; gives its port."""
    port = int(free_endpoint().rpartition(":")[2])
    command = [program("rpcgw"), "--rpc", endpoint, "--listen", f"127.0.0.1:{port}", *arguments]
    process = subprocess.Popen(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        await asyncio.to_thread(process.stdout.readline)
        yield port
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


_RESERVED: list[ReservedPort] = []


def free_endpoint() -> str:
    """An endpoint on which nobody listens, until this program ends."""
    _RESERVED.append(ReservedPort())
    return _RESERVED[-1].endpoint
