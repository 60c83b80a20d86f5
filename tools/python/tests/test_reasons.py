"""Why there is no connection: each cause has its own sentence, and its own way out."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import zmq
from peer import Peer, refusal
from ports import ReservedPort
from server import Server, program

import tidings
import tidings.sync
from tidings.rpc.v1.health_pb2 import CheckRequest
from tidings.v1.notification_service_pb2 import RegisterDeviceResponse


@contextlib.contextmanager
def deaf_port() -> Iterator[int]:
    """A port where packets vanish: the system has no room for another connection to it."""
    with contextlib.ExitStack() as sockets:
        listener = sockets.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(64):
            caller = sockets.enter_context(socket.socket())
            caller.settimeout(0.2)
            try:
                caller.connect(listener.getsockname())
            except TimeoutError:
                yield listener.getsockname()[1]
                return
        pytest.skip("the system takes any number of connections")


async def test_packets_that_vanish() -> None:
    with deaf_port() as port:
        endpoint = f"tcp://127.0.0.1:{port}"
        async with tidings.Client(endpoint, user="ada", connect_timeout=0.3) as client:
            await refusal(client, tidings.Unavailable, f"cannot reach {endpoint}: no answer: ")


async def test_a_refused_connection() -> None:
    gone = ReservedPort()
    reason = f"cannot reach {gone.endpoint}: connection refused"
    async with tidings.Client(gone.endpoint, user="ada", connect_timeout=0.3) as client:
        await refusal(client, tidings.Unavailable, reason)


async def test_a_name_that_cannot_be_resolved() -> None:
    # No name server is asked for a label of more than 63 characters.
    endpoint = f"tcp://{'a' * 64}.example:5570"
    async with tidings.Client(endpoint, user="ada", connect_timeout=0.3) as client:
        await refusal(client, tidings.Unavailable, "its name cannot be resolved")


async def test_a_handshake_that_is_not_answered() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        async with tidings.Client(endpoint, user="ada", connect_timeout=0.3) as client:
            await refusal(client, tidings.Unavailable, "has not finished the handshake")


async def test_a_wrong_server_key(tmp_path: Path) -> None:
    server = Server(tmp_path)
    command = [str(program("rpcd")), "init", "--data", str(server.data), "--admin", "root"]
    await asyncio.to_thread(subprocess.run, command, check=True, capture_output=True)
    pair, other = tidings.KeyPair.generate(), tidings.KeyPair.generate()
    keys = tidings.ClientKeys(pair, other.public_key)
    with server:
        async with tidings.Client(server.rpc, keys=keys, connect_timeout=0.3) as client:
            await refusal(client, tidings.Unavailable, "check the server key")


async def test_a_deadline_that_passes_while_connecting_says_why() -> None:
    with deaf_port() as port:
        async with tidings.Client(
            f"tcp://127.0.0.1:{port}", user="ada", timeout=0.3, connect_timeout=600
        ) as client:
            with pytest.raises(tidings.DeadlineExceeded, match="deadline passed: cannot reach"):
                await client.health.check(CheckRequest())


async def test_the_time_of_a_call_begins_when_there_is_a_connection() -> None:
    late = ReservedPort()
    async with tidings.Client(late.endpoint, user="ada", connect_timeout=600) as client:
        waiting = asyncio.ensure_future(client.connected())
        async with Peer() as peer:
            peer.socket.bind(late.endpoint)
            await waiting
            # At once, and without a call.
            await client.connected(0)
    with pytest.raises(RuntimeError):
        await client.connected()


def test_the_blocking_client_waits_for_a_connection() -> None:
    gone = ReservedPort()
    with (
        tidings.sync.Client(gone.endpoint, user="ada") as client,
        pytest.raises(tidings.Unavailable, match=gone.endpoint),
    ):
        client.connected(within=0.3)


async def test_a_name_with_addresses_of_ipv6_only() -> None:
    # Without brackets it is not an address but a name, which has no address of IPv4.
    with contextlib.closing(socket.socket(socket.AF_INET6)) as probe:
        try:
            probe.bind(("::1", 0))
        except OSError:
            pytest.skip("this machine has no IPv6")
    async with Peer() as peer:
        peer.socket.ipv6 = True
        peer.socket.bind("tcp://[::1]:*")
        port = str(peer.socket.getsockopt_string(zmq.LAST_ENDPOINT)).rpartition(":")[2]
        for endpoint in (f"tcp://::1:{port}", f"tcp://[::1]:{port}"):
            async with tidings.Client(endpoint, user="ada", connect_timeout=600) as client:
                await client.connected()


async def test_a_stream_says_why_it_waits_and_goes_on_when_the_server_comes() -> None:
    reasons: list[tidings.RPCError | None] = []
    refused = asyncio.Event()

    def note(error: tidings.RPCError | None) -> None:
        reasons.append(error)
        if error is not None and "connection refused" in error.message:
            refused.set()

    late = ReservedPort()
    async with (
        tidings.Client(late.endpoint, user="ada", timeout=600, connect_timeout=600) as client,
        client.notification_stream(on_connection=note) as stream,
    ):
        notification = asyncio.ensure_future(anext(stream))
        # Calls would wait for ten minutes.
        await refused.wait()
        async with Peer() as peer:
            peer.socket.bind(late.endpoint)
            register = await peer.receive()
            device = RegisterDeviceResponse(push_endpoint=peer.endpoint)
            await register.answer(device.SerializeToString())
            await peer.receive()
        notification.cancel()


async def test_pushes_of_several_servers_are_given_up_as_soon_as_calls() -> None:
    one, two = ReservedPort(), ReservedPort()
    for endpoints, interval in (([one.endpoint, two.endpoint], 1_000), ([one.endpoint], 10_000)):
        async with tidings.Client(endpoints, user="ada") as client:
            subscriber = client.subscriber(one.endpoint)
            assert subscriber._link.socket.heartbeat_ivl == interval
            assert client.transport._link.socket.heartbeat_ivl == interval
