"""What carries the calls of stubs."""

from __future__ import annotations

from typing import Protocol

from tidings.rpc.method import MethodDescriptor, Request, Response
from tidings.rpc.options import CallOptions
from tidings.rpc.stream import MessageStream, SyncMessageStream


class Transport(Protocol):
    """Carries the calls of stubs that are awaited."""

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
        """Starts a server-streaming call; what fails is raised by the stream."""
        ...


class SyncTransport(Protocol):
    """Carries the calls of stubs that wait."""

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
        """Starts a server-streaming call; what fails is raised by the stream."""
        ...
