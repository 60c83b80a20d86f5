"""Clients that nobody closes, that another loop uses, or whose endpoint nobody can reach."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from conftest import PATIENCE
from ports import ReservedPort
from server import ROOT, Server
from waiting import until

import tidings
import tidings.sync
from tidings.rpc.v1.health_pb2 import CheckRequest, WatchRequest


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def libzmq_threads() -> int:
    """How many threads libzmq has, by their names."""
    count = 0
    for name in Path("/proc/self/task").glob("*/comm"):
        # It may have just ended.
        with contextlib.suppress(OSError):
            count += name.read_text().startswith("ZMQbg")
    return count


def run(program: str, *arguments: str, options: tuple[str, ...] = ()) -> str:
    """Runs a program, which must end."""
    process = subprocess.run(
        [sys.executable, *options, "-c", textwrap.dedent(program), *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tools/python/src")},
    )
    assert process.returncode == 0, process.stderr
    return process.stdout + process.stderr


# Calls while nothing listens.


async def test_a_plain_retry_loop_leaves_time_and_connects(tmp_path: Path) -> None:
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0.001)
            turns += 1

    server = Server(tmp_path)
    async with server.client(user="ada", connect_timeout=0.05, timeout=600.0) as client:
        others = asyncio.create_task(count_turns())
        attempts = 0

        async def save() -> None:
            nonlocal attempts
            while True:
                try:
                    await client.database().save(tidings.Record("Notes", "n"))
                    break
                except tidings.RPCError:
                    attempts += 1

        saving = asyncio.create_task(save())
        await until("three attempts", lambda: attempts >= 3)
        begin, before, used = time.monotonic(), attempts, time.process_time()
        await until("turns of other tasks", lambda: turns >= 200)
        # An attempt takes a pause, whatever the loop around it does.
        span = time.monotonic() - begin
        assert attempts - before <= span / 0.05 + 1
        assert time.process_time() - used < span
        with server:
            await saving
        others.cancel()


async def test_calls_that_are_refused_at_once_let_other_tasks_run(tmp_path: Path) -> None:
    async with tidings.Client(ReservedPort().endpoint, connect_timeout=0.01) as client:
        is_over = False

        async def end() -> None:
            nonlocal is_over
            await asyncio.sleep(0)
            is_over = True

        large = "x" * (17 << 20)

        async def late() -> None:
            await client.health.check(CheckRequest(), timeout=0.0)

        async def too_large() -> None:
            await client.health.check(CheckRequest(service=large))

        async def too_large_stream() -> None:
            async for _ in client.health.watch(WatchRequest(service=large)):
                pass

        for call in (late, too_large, too_large_stream):
            is_over = False
            other = asyncio.create_task(end())
            for _ in range(1000):
                with pytest.raises(tidings.RPCError):
                    await call()
                if is_over:
                    break
            assert is_over
            await other


# Endpoints.


@pytest.mark.parametrize(
    "endpoint",
    [
        "tcp://[nonsense]:1",
        "tcp://[::1",
        "tcp://[host.name]:5590",
        "tcp://::1]:1",
        "tcp://[]:1",
        "tcp://[127.0.0.1]:1",
        "tcp://[::1]",
        "tcp://[::1]:x",
        "tcp://",
        "nonsense",
        "",
    ],
)
async def test_a_malformed_endpoint_is_an_error(endpoint: str) -> None:
    for endpoints in (endpoint, [endpoint, "tcp://127.0.0.1:1"]):
        client = tidings.Client(endpoints)
        with pytest.raises(tidings.InvalidArgument):
            client.connect()
        await client.aclose()
    with pytest.raises(tidings.InvalidArgument):
        tidings.sync.Client(endpoint).connect()
    async with tidings.Client(ReservedPort().endpoint) as client:
        with pytest.raises(tidings.InvalidArgument):
            client.subscriber(endpoint)


# Clients that are dropped.


async def test_a_dropped_client_warns_and_closes(server: Server) -> None:
    async def use(endpoint: str) -> None:
        client = tidings.Client(endpoint, user="ada", timeout=600.0, connect_timeout=600.0)
        client.connect()
        await client.health.check(CheckRequest())
        # What was made of a client keeps its connection.
        database = client.database()
        subscriber = client.subscriber(server.push)
        subscriber.subscribe(b"topic")
        del client, subscriber
        gc.collect()
        await database.fetch_all(["n"])

    gc.collect()
    before = descriptors()
    assert libzmq_threads() == 0
    for _ in range(3):
        with pytest.warns(ResourceWarning, match="unclosed client of tcp://"):
            await use(server.rpc)
            gc.collect()
    # One that never connects, with a call that was given up.
    client = tidings.Client([ReservedPort().endpoint, ReservedPort().endpoint])
    client.connect()
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(client.health.check(CheckRequest()), 0.1)
    with pytest.warns(ResourceWarning, match="unclosed client"):
        del client
        gc.collect()
    await until("the descriptors to be closed", lambda: descriptors() <= before)
    await until("the threads to end", lambda: libzmq_threads() == 0)


async def test_a_call_that_only_the_loop_knows_is_answered(server: Server) -> None:
    names: list[str] = []

    async def work() -> None:
        client = tidings.Client(server.rpc, user="ada", timeout=600.0, connect_timeout=600.0)
        client.connect()
        for name in ("a", "b"):
            await client.database().save(tidings.Record("Notes", name))
            names.append(name)
        await client.aclose()

    asyncio.get_running_loop().call_soon(lambda: asyncio.ensure_future(work()) and None)
    while len(names) < 2:
        gc.collect()
        await asyncio.sleep(0)


_DROPPED_AFTER_ITS_LOOP = """
    import asyncio, gc, sys, tidings
    clients = []
    async def main():
        client = tidings.Client(sys.argv[1], user="ada", connect_timeout=600, timeout=600)
        client.connect()
        clients.append(client)
        await client.database().save(tidings.Record("Notes", "n"))
        client.cycle = clients
    asyncio.run(main())
    if sys.argv[2] == "close":
        asyncio.run(clients[0].aclose())
    clients.clear() if sys.argv[2] != "exit" else None
    gc.collect()
    print("ended")
"""


@pytest.mark.parametrize("end", ["close", "drop", "exit"])
def test_a_client_outlives_its_loop(server: Server, end: str) -> None:
    output = run(_DROPPED_AFTER_ITS_LOOP, server.rpc, end, options=("-W", "default"))
    assert "ended" in output
    assert ("unclosed client" in output) == (end == "drop")


def test_a_dropped_client_that_blocks_ends_its_thread(server: Server) -> None:
    output = run(
        """
        import gc, os, sys, threading, time, tidings, tidings.sync
        client = tidings.sync.Client(sys.argv[1], user="ada", connect_timeout=600, timeout=600)
        client.connect()
        database = client.database()
        del client
        gc.collect()
        database.save(tidings.Record("Notes", "n"))
        del database
        gc.collect()
        while len(os.listdir("/proc/self/task")) > 1:
            time.sleep(0.01)
        print("ended")
        """,
        server.rpc,
        options=("-W", "default"),
    )
    assert "ended" in output and "unclosed client" in output


# Other loops.


@pytest.mark.parametrize("options", [(), ("-X", "dev")])
def test_another_loop_is_an_error(server: Server, options: tuple[str, ...]) -> None:
    output = run(
        """
        import asyncio, sys, threading, tidings
        from tidings.rpc.v1.health_pb2 import CheckRequest
        async def refused(client):
            for use in (
                lambda: client.health.check(CheckRequest(), timeout=0.5),
                lambda: client.database().save(tidings.Record("Notes", "x")),
                lambda: client.aclose(),
            ):
                try:
                    await use()
                except RuntimeError as error:
                    assert "another event loop" in str(error), error
                else:
                    raise AssertionError("another loop may use it")
        async def main():
            async with tidings.Client(sys.argv[1], user="ada", timeout=600) as client:
                await client.database().save(tidings.Record("Notes", "n"))
                await asyncio.to_thread(lambda: asyncio.run(refused(client)))
                # It goes on, and times out as it should.
                await client.database().save(tidings.Record("Notes", "m"))
                try:
                    await client.health.check(CheckRequest(), timeout=1e-9)
                except tidings.DeadlineExceeded:
                    print("ended")
        asyncio.run(main())
        """,
        server.rpc,
        options=options,
    )
    assert "ended" in output


# Descriptors.


def test_a_client_without_descriptors_is_an_error(server: Server) -> None:
    output = run(
        """
        import asyncio, os, resource, sys, tidings
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))
        async def main():
            clients = []
            try:
                for _ in range(1000):
                    clients.append(tidings.Client(sys.argv[1], user="ada", timeout=600))
                    clients[-1].connect()
            except OSError as error:
                assert "file descriptors are in use" in str(error), error
                clients.pop()
            await clients[0].database().save(tidings.Record("Notes", "n"))
            for client in clients:
                await client.aclose()
            async with tidings.Client(sys.argv[1], user="ada", timeout=600) as client:
                await client.database().save(tidings.Record("Notes", "m"))
            print("ended")
        asyncio.run(main())
        """,
        server.rpc,
    )
    assert "ended" in output
