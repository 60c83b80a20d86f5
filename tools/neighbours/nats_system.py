"""NATS JetStream: a message is published, and delivered to a consumer."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import nats
from nats.js.api import ConsumerConfig, AckPolicy
from system import VALUE, System, connected, free_port, process


class NatsSystem(System):
    name = "NATS JetStream"
    promise = "in the system's cache: synced every two minutes"

    @contextlib.asynccontextmanager
    async def serve(self, folder: Path) -> AsyncIterator[None]:
        port = free_port()
        command = ["nats-server", "--addr", "127.0.0.1", "--port", str(port), "--jetstream", "--store_dir", folder]
        with process(command, folder):
            await connected(port)
            writer = await nats.connect(f"nats://127.0.0.1:{port}")
            listener = await nats.connect(f"nats://127.0.0.1:{port}")
            self._writer, self._listener = writer.jetstream(), listener.jetstream()
            await self._writer.add_stream(name="houses", subjects=["houses.*"])
            try:
                yield
            finally:
                await writer.close()
                await listener.close()

    async def write(self, number: int) -> None:
        await self._writer.publish(f"houses.{number}", VALUE.encode())

    async def notified(self) -> AsyncIterator[int]:
        consumer = ConsumerConfig(ack_policy=AckPolicy.NONE)
        subscription = await self._listener.subscribe("houses.*", config=consumer)
        async for message in subscription.messages:
            yield int(message.subject.removeprefix("houses."))
