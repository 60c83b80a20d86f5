"""PostgreSQL: a row is inserted, and announced with NOTIFY."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
from system import VALUE, System

ROOT = Path(__file__).resolve().parents[2]
CONNECTIONS = 16
"""Writers; each has one statement in flight."""


class PostgresSystem(System):
    name = "PostgreSQL, LISTEN"
    promise = "on disk (fsync); a listener that is away misses it"

    @contextlib.asynccontextmanager
    async def serve(self, folder: Path) -> AsyncIterator[None]:
        command = [ROOT / "tools" / "postgres-cluster"]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as server:
            assert server.stdin and server.stdout
            address = server.stdout.readline().strip()
            try:
                async with contextlib.AsyncExitStack() as stack:
                    connect = psycopg.AsyncConnection.connect
                    self._listener = await stack.enter_async_context(
                        await connect(address, autocommit=True)
                    )
                    await self._listener.execute("CREATE TABLE houses (id bigint PRIMARY KEY, value text)")
                    await self._listener.execute("LISTEN houses")
                    self._free = [
                        await stack.enter_async_context(await connect(address, autocommit=True))
                        for _ in range(CONNECTIONS)
                    ]
                    yield
            finally:
                server.stdin.close()

    async def write(self, number: int) -> None:
        connection = self._free.pop()
        await connection.execute(
            "WITH new AS (INSERT INTO houses VALUES (%s, %s) RETURNING id) "
            "SELECT pg_notify('houses', id::text) FROM new",
            (number, VALUE),
        )
        self._free.append(connection)

    async def notified(self) -> AsyncIterator[int]:
        async for notification in self._listener.notifies():
            yield int(notification.payload)
