"""The transport of blocking stubs."""

from __future__ import annotations

from tidings.rpc.method import MethodDescriptor, Request, Response
from tidings.rpc.options import CallOptions
from tidings.rpc.stream import MessageStream, SyncMessageStream
from tidings.rpc.transport import Transport
from tidings.sync.loop import LoopThread


class LoopTransport:
    """A :class:`~tidings.rpc.transport.SyncTransport` over an asynchronous transport."""

    def __init__(self, loop: LoopThread, transport: Transport) -> None:
        self._loop = loop
        self._transport = transport

    def unary(
        self,
        method: MethodDescriptor[Request, Response],
        request: Request,
        options: CallOptions,
    ) -> Response:
        """Makes a unary call. Raises ``RPCError``."""
        return self._loop.run(self._transport.unary(method, request, options))

    def server_streaming(
        self,
        method: MethodDescriptor[Request, Response],
        request: Request,
        options: CallOptions,
    ) -> SyncMessageStream[Response]:
        """Starts a server-streaming call; errors are raised by the stream."""
        stream = self._loop.call(lambda: self._transport.server_streaming(method, request, options))
        return SyncMessageStream(stream, self._take, self._close)

    def _take(self, stream: MessageStream[Response]) -> Response:
        return self._loop.run(stream.__anext__())

    def _close(self, stream: MessageStream[Response]) -> None:
        self._loop.run(stream.aclose())
