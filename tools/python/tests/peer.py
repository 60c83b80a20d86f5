"""A scripted server, for behavior that is rare or too fast in a real one."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import zmq
import zmq.asyncio
from ports import ReservedPort

import tidings
from tidings.rpc.v1.header_pb2 import RequestHeader, ResponseHeader
from tidings.rpc.v1.health_pb2 import CheckRequest
from tidings.v1.notification_pb2 import Notification, SubscriptionPosition
from tidings.v1.notification_service_pb2 import FetchNotificationChangesResponse

REFUSED_WITHIN = 120.0
"""Seconds; a refusal is known after a fraction of one, on a machine without other work."""


@dataclass
class ReceivedCall:
    """A received request and its responder."""

    peer: Peer
    envelope: list[bytes]
    header: RequestHeader
    body: bytes

    async def answer(self, body: bytes = b"", **header: Any) -> None:
        """Sends a response (default: the final one)."""
        fields = {"call_id": self.header.call_id, "end_of_stream": True, **header}
        head = ResponseHeader(**fields).SerializeToString()
        await self.peer.socket.send_multipart([*self.envelope, head, body])


class Peer:
    """A ROUTER socket."""

    def __init__(self) -> None:
        self._context = zmq.asyncio.Context()
        self.socket = self._make_socket()
        self._port = ReservedPort()
        self.endpoint = self._port.endpoint
        self.socket.bind(self.endpoint)

    def _make_socket(self) -> zmq.asyncio.Socket:
        socket = self._context.socket(zmq.ROUTER)
        socket.linger = 0
        # A ROUTER drops what has no room: all answers are to arrive, however slow the client is.
        socket.sndhwm = 0
        return socket

    async def receive(self) -> ReceivedCall:
        """Waits for the next request."""
        *envelope, head, body = await self.socket.recv_multipart()
        return ReceivedCall(self, envelope, RequestHeader.FromString(head), body)

    async def lose_connection(self) -> None:
        """Closes all connections; accepts new ones at the same endpoint."""
        self.socket.close(linger=0)
        self.socket = self._make_socket()
        while True:
            try:
                self.socket.bind(self.endpoint)
                return
            except zmq.ZMQError:
                # The old socket releases its port asynchronously.
                await asyncio.sleep(0.01)

    def client(self, **settings: Any) -> tidings.Client:
        """A client of this server."""
        return tidings.Client(
            self.endpoint, **{"user": "ada", "timeout": 600.0, "connect_timeout": 600.0, **settings}
        )

    async def __aenter__(self) -> Peer:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.socket.close(linger=0)
        self._context.term()


def notification_page(notification_id: str) -> bytes:
    """The last page of a user's log, with one notification."""
    position = SubscriptionPosition(channel_id="c1", sequence_number=1)
    notification = Notification(notification_id=notification_id, position=position)
    page = FetchNotificationChangesResponse(notifications=[notification], change_token=b"1")
    return page.SerializeToString()


async def refusal(client: tidings.Client, error: type[tidings.RPCError], reason: str) -> None:
    """Waits until calls fail with a message; it may take time until the cause is known."""
    last: tidings.RPCError | None = None
    end = time.monotonic() + REFUSED_WITHIN
    while time.monotonic() < end:
        try:
            await client.health.check(CheckRequest(), timeout=REFUSED_WITHIN)
        except (error, tidings.Unavailable) as caught:
            if isinstance(caught, error) and reason in caught.message:
                return
            last = caught
        await asyncio.sleep(0.01)
    raise AssertionError(f"no refusal says {reason!r} within {REFUSED_WITHIN} s; the last: {last}")
