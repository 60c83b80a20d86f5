"""Sockets are created again later if the process has no descriptors left for a moment."""

from __future__ import annotations

import asyncio
import errno
from typing import Any

import pytest
import zmq
from peer import Peer, notification_page
from ports import ReservedPort
from waiting import first

import tidings
from tidings.rpc import connection, subscriber
from tidings.rpc.errors import InvalidArgument
from tidings.rpc.link import Link
from tidings.rpc.monitor import LinkEvent
from tidings.rpc.status import StatusCode
from tidings.rpc.subscriber import Subscriber
from tidings.rpc.v1.health_pb2 import SERVING_STATUS_SERVING, CheckRequest, CheckResponse
from tidings.v1.notification_service_pb2 import RegisterDeviceResponse


class Links:
    """Creates links, and fails with each kind of error first."""

    def __init__(self) -> None:
        no_more = zmq.ZMQError(errno.EMFILE)
        # Of the socket, and of the socket of its monitor.
        self._errors: list[Exception] = [
            no_more,
            InvalidArgument(StatusCode.INVALID_ARGUMENT, f"cannot connect to 'there': {no_more}"),
        ]
        self.have_failed = asyncio.Event()
        self.is_made = asyncio.Event()

    def __call__(self, *arguments: Any, **options: Any) -> Link:
        if self._errors:
            error = self._errors.pop(0)
            if not self._errors:
                self.have_failed.set()
            raise error
        self.is_made.set()
        return Link(*arguments, **options)


async def test_a_connection_outlives_a_lack_of_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Peer() as peer, peer.client() as client:
        call = asyncio.ensure_future(client.health.check(CheckRequest()))
        await peer.receive()
        links = Links()
        monkeypatch.setattr(connection, "Link", links)
        peer.socket.close(linger=0)
        await first(links.have_failed.wait(), call)
        assert not call.done()
        await links.is_made.wait()
        await peer.lose_connection()
        status = CheckResponse(status=SERVING_STATUS_SERVING).SerializeToString()
        await (await peer.receive()).answer(status)
        assert (await call).status == SERVING_STATUS_SERVING


async def test_a_subscriber_outlives_a_lack_of_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    problem: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().set_exception_handler(
        lambda _, context: problem.set_exception(context["exception"])
    )
    with zmq.Context() as context:
        pushes = Subscriber(ReservedPort().endpoint, None, context)
        links = Links()
        monkeypatch.setattr(subscriber, "Link", links)
        # A failed handshake, after which libzmq does not reconnect.
        pushes._follow(LinkEvent.DISCONNECTED)
        try:
            await first(links.is_made.wait(), problem)
            assert not problem.done()
        finally:
            pushes.close()


async def test_a_stream_outlives_a_lack_of_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    device = RegisterDeviceResponse(push_endpoint=ReservedPort().endpoint).SerializeToString()
    reasons: list[tidings.RPCError | None] = []
    async with (
        Peer() as peer,
        peer.client() as client,
        client.notification_stream(on_connection=reasons.append) as stream,
    ):
        links = Links()
        monkeypatch.setattr(subscriber, "Link", links)
        notification = asyncio.ensure_future(anext(stream))
        for answer in [device, device, device, notification_page("n1")]:
            await (await first(peer.receive(), notification)).answer(answer)
        assert (await notification).notification_id == "n1"
        assert links.is_made.is_set()
    *losses, restored = reasons
    # Each reason once.
    assert len(losses) == 2
    assert all(
        loss is not None and "cannot connect to the push endpoint" in loss.message
        for loss in losses
    )
    assert restored is None
