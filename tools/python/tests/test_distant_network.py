"""Networks whose round trips take long, such as those of satellites."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
from pathlib import Path

from server import Server, program

import tidings
from tidings.rpc.v1.health_pb2 import CheckRequest


async def _pass_on(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float
) -> None:
    """Passes each piece on after a delay, in order."""
    with contextlib.suppress(ConnectionError):
        while piece := await reader.read(65_536):
            await asyncio.sleep(delay)
            writer.write(piece)
    writer.close()


async def test_a_handshake_whose_round_trips_take_a_second_succeeds(tmp_path: Path) -> None:
    server = Server(tmp_path)
    command = [str(program("rpcd")), "init", "--data", str(server.data), "--admin", "root"]
    await asyncio.to_thread(subprocess.run, command, check=True, capture_output=True)
    port = int(server.rpc.rpartition(":")[2])
    ways: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        # The handshake takes more than 3 s, and less than 10.
        ways.add(asyncio.create_task(_pass_on(reader, far_writer, 0.5)))
        ways.add(asyncio.create_task(_pass_on(far_reader, writer, 0.5)))

    with server:
        proxy = await asyncio.start_server(serve, "127.0.0.1", 0)
        client = tidings.Client(
            f"tcp://127.0.0.1:{proxy.sockets[0].getsockname()[1]}",
            key_file=server.data / "root.key",
            server_key=server.data / "server.pub",
            timeout=250.0,
            connect_timeout=250.0,
        )
        async with client:
            await client.health.check(CheckRequest())
        proxy.close()
        await asyncio.gather(*ways)
