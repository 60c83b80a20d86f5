"""Situations of browsers and other clients of the gateway."""

from __future__ import annotations

import asyncio
import ctypes
import json
import socket
import struct
import time
import urllib.error
import urllib.request

from situation import Seen, free_endpoint, gateway, save, serving, situation, subscribe

QUERY = "ckAPIToken=x&ckWebAuthToken=dev%3Aada"


def post(port: int) -> tuple[int, str]:
    """Asks for the zones; returns the status and the code of the answer."""
    url = f"http://127.0.0.1:{port}/database/1/default/development/private/zones/list?{QUERY}"
    try:
        with urllib.request.urlopen(urllib.request.Request(url, b"{}"), timeout=120) as answer:
            return answer.status, ""
    except urllib.error.HTTPError as error:
        return error.code, json.load(error).get("serverErrorCode", "")


def stream(port: int) -> socket.socket:
    """Opens a stream of events, and reads its head."""
    connection = socket.create_connection(("127.0.0.1", port))
    path = f"/events/default/development?{QUERY}"
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    head = connection.recv(65_536)
    assert head.startswith(b"HTTP/1.1 200"), head
    return connection


def lose(connection: socket.socket) -> None:
    """Lets everything vanish that comes to a socket, before the system looks at it.

    A filter of the socket that keeps no bytes of a packet (``BPF_RET``).
    """
    program = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0))
    attach = struct.pack("HxxxxxxP", 1, ctypes.addressof(program))
    connection.setsockopt(socket.SOL_SOCKET, 26, attach)


def streams(port: int) -> int:
    """How many streams of events a gateway has."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        for line in answer.read().decode().splitlines():
            if line.startswith("tidings_event_streams "):
                return int(float(line.split()[1]))
    raise AssertionError("no tidings_event_streams")


@situation("the server is down", 5)
async def down() -> Seen:
    async with gateway(free_endpoint()) as port:
        begin = time.monotonic()
        status, code = await asyncio.to_thread(post, port)
        return Seen(f"status {status}, `{code}`", time.monotonic() - begin)


@situation("the server stands still behind the gateway", 35)
async def paused() -> Seen:
    async with serving() as server, gateway(server.rpc) as port:
        await asyncio.to_thread(post, port)
        with server.paused():
            begin = time.monotonic()
            status, code = await asyncio.to_thread(post, port)
            return Seen(f"status {status}, `{code}`", time.monotonic() - begin)


@situation("the network of an event stream's client is gone", 75)
async def dead_stream() -> Seen:
    operator = free_endpoint().removeprefix("tcp://")
    async with serving() as server, gateway(server.rpc, "--operator-endpoint", operator) as port:
        await save(server, "first")
        connection = await asyncio.to_thread(stream, port)
        lose(connection)
        begin = time.monotonic()
        while await asyncio.to_thread(streams, int(operator.rpartition(":")[2])):
            if time.monotonic() - begin > 400:
                return Seen("the stream stays", time.monotonic() - begin)
            await asyncio.sleep(0.5)
        connection.close()
        return Seen("the stream ends at the gateway", time.monotonic() - begin)


@situation("the networks of 100 event streams' clients are gone, and their user opens one", 2)
async def dead_streams() -> Seen:
    async with serving() as server, gateway(server.rpc) as port:
        await save(server, "first")
        connections = await asyncio.to_thread(lambda: [stream(port) for _ in range(100)])
        for connection in connections:
            lose(connection)
        begin = time.monotonic()
        connections.append(await asyncio.to_thread(stream, port))
        seconds = time.monotonic() - begin
        for connection in connections:
            connection.close()
        return Seen("it opens, and the oldest one ends", seconds)


@situation("`kill -9` of the server behind an event stream, a start 1 s later, and a save", 10)
async def killed() -> Seen:
    async with serving() as server, gateway(server.rpc) as port:
        await subscribe(server)
        connection = await asyncio.to_thread(stream, port)
        await asyncio.to_thread(server.kill)
        await asyncio.sleep(1)
        await asyncio.to_thread(server.start)
        begin = time.monotonic()
        await save(server, "after")

        def until_event() -> None:
            text = b""
            while b'"after"' not in text:
                more = connection.recv(65_536)
                assert more, text
                text += more

        await asyncio.to_thread(until_event)
        return Seen("the stream goes on, with the event", time.monotonic() - begin)
