"""Redis: an entry is added to a stream, and read by a consumer that waits."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import redis.asyncio
from system import VALUE, System, connected, free_port, process


class RedisSystem(System):
    name = "Redis streams"
    promise = "on disk (appendfsync always)"

    @contextlib.asynccontextmanager
    async def serve(self, folder: Path) -> AsyncIterator[None]:
        port = free_port()
        options = f"--port {port} --bind 127.0.0.1 --dir {folder} --appendonly yes --appendfsync always"
        with process(["redis-server", *options.split()], folder):
            await connected(port)
            self._writer, self._listener = redis.asyncio.Redis(port=port), redis.asyncio.Redis(port=port)
            try:
                yield
            finally:
                await self._writer.aclose()
                await self._listener.aclose()

    async def write(self, number: int) -> None:
        await self._writer.xadd("houses", {"id": number, "value": VALUE})

    async def notified(self) -> AsyncIterator[int]:
        last = b"0"
        while True:
            for _, entries in await self._listener.xread({"houses": last}, block=1_000):
                for last, fields in entries:
                    yield int(fields[b"id"])
