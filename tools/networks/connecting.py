"""Situations in which a connection is made."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

import tidings
from server import Server, program
from tidings import Record
from tidings.rpc.v1.health_pb2 import CheckRequest

from situation import (
    Seen,
    client,
    free_endpoint,
    network,
    plain,
    serving,
    situation,
    timed,
)


@situation("nothing listens at the port", 4)
async def refused() -> Seen:
    async with client(free_endpoint()) as caller:
        return await timed(caller.health.check(CheckRequest()))


@situation("nothing listens, and the server starts after 2 s", 4)
async def late_start() -> Seen:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        async with client(server.rpc) as caller:

            async def until_answered() -> None:
                while True:
                    with contextlib.suppress(tidings.TidingsError):
                        await caller.health.check(CheckRequest())
                        return

            work = asyncio.ensure_future(until_answered())
            await asyncio.sleep(2)
            await asyncio.to_thread(server.start)
            seen = await timed(work, "calls that are repeated fail, then are answered")
            await asyncio.to_thread(server.kill)
            return seen


@situation("packets to the server vanish", 5)
async def silent() -> Seen:
    async with serving() as server, network(server.rpc) as path:
        path.is_dark = True
        async with client(path.endpoint) as caller:
            return await timed(caller.health.check(CheckRequest()))


@situation("the name cannot be resolved", 5)
async def no_name() -> Seen:
    async with client("tcp://nowhere.invalid:5570") as caller:
        return await timed(caller.health.check(CheckRequest()))


@situation("the endpoint is malformed", 1)
async def malformed() -> Seen:
    async def connect() -> None:
        async with client("tcp://[nonsense]:5570"):
            pass

    return await timed(connect())


@contextlib.asynccontextmanager
async def secured() -> AsyncIterator[Server]:
    """A server with keys."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        command = [str(program("rpcd")), "init", "--data", str(server.data), "--admin", "root"]
        await asyncio.to_thread(subprocess.run, command, check=True, capture_output=True)
        await asyncio.to_thread(server.start)
        try:
            yield server
        finally:
            await asyncio.to_thread(server.kill)


def keyed(server: Server, endpoint: str, **settings: object) -> tidings.Client:
    """A client with the administrator's key."""
    keys = {"key_file": server.data / "root.key", "server_key": server.data / "server.pub"}
    return tidings.Client(endpoint, **{**keys, **settings})  # type: ignore[arg-type]


@situation("the client has another server's public key", 5)
async def wrong_server_key() -> Seen:
    async with secured() as server, secured() as other:
        key = other.data / "server.pub"
        async with keyed(server, server.rpc, server_key=key) as caller:
            return await timed(caller.health.check(CheckRequest()))


@situation("the server does not know the client's key", 5)
async def unknown_key() -> Seen:
    async with secured() as server, secured() as other:
        key = other.data / "root.key"
        async with keyed(server, server.rpc, key_file=key) as caller:
            return await timed(caller.health.check(CheckRequest()))


@situation("the client has no keys, and the server wants some", 5)
async def no_keys() -> Seen:
    async with secured() as server, client(server.rpc) as caller:
        return await timed(caller.health.check(CheckRequest()))


async def distant(one_way: float, **settings: object) -> Seen:
    async with secured() as server, network(server.rpc) as path:
        path.delay = one_way
        async with keyed(server, path.endpoint, **settings) as caller:
            return await timed(caller.health.check(CheckRequest()), "the first call is answered")


@situation("round trips of 600 ms, with keys", 5)
async def satellite() -> Seen:
    return await distant(0.3)


@situation("round trips of 2 s, with keys and `connect_timeout=20`", 15)
async def far_satellite() -> Seen:
    return await distant(1, connect_timeout=20, timeout=20)


async def command(*words: str) -> Seen:
    """What ``rpcctl`` says, of which the last line is the reason."""
    begin = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        str(program("rpcctl")),
        *words,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await process.communicate()
    lines = (errors if process.returncode else output).decode().strip().splitlines() or [""]
    return Seen(f"exit status {process.returncode}: `{plain(lines[0])}`", time.monotonic() - begin)


@situation("`rpcctl server health`, and nothing listens", 4)
async def command_refused() -> Seen:
    return await command("--endpoint", free_endpoint(), "server", "health")


@situation("`rpcctl server health`, and packets to the server vanish", 6)
async def command_silent() -> Seen:
    async with serving() as server, network(server.rpc) as path:
        path.is_dark = True
        return await command("--endpoint", path.endpoint, "server", "health")


@situation("of two endpoints the first refuses", 2)
async def first_refuses() -> Seen:
    async with serving() as server, client([free_endpoint(), server.rpc]) as caller:
        return await timed(caller.health.check(CheckRequest()), "the second one answers")


@situation("of two endpoints the first one's packets vanish", 4)
async def first_vanishes() -> Seen:
    async with serving() as server, network(server.rpc) as path:
        path.is_dark = True
        async with client([path.endpoint, server.rpc]) as caller:
            return await timed(caller.health.check(CheckRequest()), "the second one answers")


@situation("a client has no file descriptors left", 5)
async def no_descriptors() -> Seen:
    # In a process of its own, whose limit is its own.
    script = (
        "import asyncio, resource, tidings\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12))\n"
        "async def connect():\n"
        "    async with tidings.Client('tcp://127.0.0.1:1'): pass\n"
        "try: asyncio.run(connect())\n"
        "except OSError as error: print(error)\n"
    )
    begin = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    lines = output.decode().strip().splitlines() or [f"exit status {process.returncode}"]
    return Seen(f"connecting raises `{lines[-1][:160]}`", time.monotonic() - begin)


@situation("a server has no file descriptors left, then some again", 8)
async def server_without_descriptors() -> Seen:
    async with serving() as server, client(server.rpc) as old:
        await old.database().save(Record("Notes", "a"))
        assert server._process is not None
        pid = server._process.pid
        limits = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (8, limits[1]))
        async with client(server.rpc) as new:
            first = await timed(new.health.check(CheckRequest()))
            await old.database().save(Record("Notes", "b"))
            resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)

            async def until_answered() -> None:
                while True:
                    with contextlib.suppress(tidings.TidingsError):
                        await new.health.check(CheckRequest())
                        return

            seen = await timed(until_answered())
        return Seen(
            f"open connections go on; of a new one {first.what}, and is answered when there are some",
            seen.seconds,
        )


@situation("a storm: 100 clients when the server was killed, and starts again", 8)
async def storm() -> Seen:
    async with serving() as server, contextlib.AsyncExitStack() as stack:
        callers = [await stack.enter_async_context(client(server.rpc)) for _ in range(100)]
        await asyncio.gather(*(one.health.check(CheckRequest()) for one in callers))
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)

        async def until_answered(one: tidings.Client) -> None:
            while True:
                with contextlib.suppress(tidings.TidingsError):
                    await one.health.check(CheckRequest())
                    return

        work = asyncio.gather(*(until_answered(one) for one in callers))
        return await timed(work, "all are answered")
