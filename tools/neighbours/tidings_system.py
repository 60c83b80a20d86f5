"""Tidings: a record is saved, a subscription to its type fires."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import tidings
from server import Server
from system import VALUE, System


class TidingsSystem(System):
    name = "Tidings"
    promise = "on disk (fsync), with its notification in the log"

    @contextlib.asynccontextmanager
    async def serve(self, folder: Path) -> AsyncIterator[None]:
        server = Server(folder)
        server.start()
        try:
            async with (
                tidings.Client(server.rpc, user="ada", device="writer", container="b") as writer,
                tidings.Client(server.rpc, user="ada", device="listener", container="b") as listener,
            ):
                self._database, self._listener = writer.database(), listener
                # A subscription needs a type that is in the schema.
                await self.write(-1)
                subscription = tidings.query_subscription("all", "House", on=["create"])
                await self._database.save_subscription(subscription)
                yield
        finally:
            server.end()

    async def write(self, number: int) -> None:
        await self._database.save(tidings.Record("House", str(number), {"value": VALUE}))

    async def notified(self) -> AsyncIterator[int]:
        async with self._listener.notification_stream() as stream:
            async for notification in stream:
                yield int(notification.record_id.name)
