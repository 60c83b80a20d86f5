"""Transports of the calls of stubs."""

from __future__ import annotations

from typing import Protocol

from tidings.rpc.method import MethodDescriptor, Request, Response
from tidings.rpc.options import CallOptions
from tidings.rpc.stream import MessageStream, SyncMessageStream


class Transport(Protocol):
    """The transport of asynchronous stubs."""

    async def unary(
        self,
        method: MethodDescriptor[Request, Response],
        request: Request,
        options: CallOptions,
    ) -> Response:
        """Makes a unary call; cancelling the task cancels the call. Raises ``RPCError``."""
        ...

    def server_streaming(
        self,
        method: MethodDescriptor[Request, Response],
        request: Request,
        options: CallOptions,
    ) -> MessageStream[Response]:
        """Starts a server-streaming call; errors are raised by the stream."""
        ...


class SyncTransport(Protocol):
    """The transport of blocking stubs."""

    def unary(
        self,
        method: MethodDescriptor[Request, Response],
        request: Request,
        options: CallOptions,
    ) -> Response:
        """Makes a unary call. Raises ``RPCError``."""
        ...

    def server_streaming(
        self,
        method: MethodDescriptor[Request, Response],
        request: Request,
        options: CallOptions,
    ) -> SyncMessageStream[Response]:
        """Starts a server-streaming call; errors are raised by the stream."""
        ...
