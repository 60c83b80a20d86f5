"""A proxy for the push endpoint that drops selected pushes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType

import zmq
import zmq.asyncio


class PushProxy:
    """Forwards subscriptions, and the pushes that are not dropped."""

    def __init__(self) -> None:
        self.loses: Callable[[bytes, bytes], bool] = lambda topic, body: False
        """Whether to drop a push."""
        self.passed = 0
        self.lost = 0
        self._context = zmq.asyncio.Context()
        self._front = self._socket(zmq.XPUB)
        port = self._front.bind_to_random_port("tcp://127.0.0.1")
        self.endpoint = f"tcp://127.0.0.1:{port}"
        self._back = self._socket(zmq.XSUB)
        self._tasks = [
            asyncio.ensure_future(self._pass_subscriptions()),
            asyncio.ensure_future(self._pass_pushes()),
        ]

    def connect(self, endpoint: str) -> None:
        """Connects to the push endpoint of a server."""
        self._back.connect(endpoint)

    def _socket(self, kind: int) -> zmq.asyncio.Socket:
        socket = self._context.socket(kind)
        socket.linger = 0
        socket.reconnect_ivl = 10
        return socket

    async def _pass_subscriptions(self) -> None:
        while True:
            await self._back.send_multipart(await self._front.recv_multipart())

    async def _pass_pushes(self) -> None:
        while True:
            frames = await self._back.recv_multipart()
            if self.loses(frames[0], frames[-1]):
                self.lost += 1
            else:
                self.passed += 1
                await self._front.send_multipart(frames)

    async def __aenter__(self) -> PushProxy:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
        self._front.close()
        self._back.close()
        self._context.term()
