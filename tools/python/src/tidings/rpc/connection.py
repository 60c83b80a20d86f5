"""A connection to a server, shared by all tasks of an event loop."""

from __future__ import annotations

import asyncio
import functools
import itertools
import math
import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import zmq
from google.protobuf.message import DecodeError

from tidings.rpc import limits
from tidings.rpc.call_table import Action, CallTable, Fail, Reception, SendCancel
from tidings.rpc.errors import (
    Cancelled,
    Internal,
    InvalidArgument,
    ResourceExhausted,
    RPCError,
    Unavailable,
)
from tidings.rpc.failure import connection_failure
from tidings.rpc.keys import ClientKeys
from tidings.rpc.link import Link, Renewal
from tidings.rpc.method import MethodDescriptor, Request, Response
from tidings.rpc.monitor import LinkEvent
from tidings.rpc.nesting import decode
from tidings.rpc.options import CallOptions
from tidings.rpc.retry import RetryPolicy
from tidings.rpc.status import StatusCode
from tidings.rpc.stream import Item, MessageStream, StreamBuffer, invalid_response
from tidings.rpc.v1.header_pb2 import (
    REQUEST_KIND_CANCEL,
    REQUEST_KIND_CREDIT,
    RequestHeader,
    ResponseHeader,
)

_MESSAGES_PER_TURN = 256
"""After this many messages, other tasks of the loop run."""


@dataclass(frozen=True)
class ConnectionSettings:
    """The server to call, and timeouts. Times are in seconds."""

    endpoint: str
    """For example ``tcp://127.0.0.1:5570``."""
    keys: ClientKeys | None = None
    """``None``: the server is in development mode."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    """Sent with every call."""
    connect_timeout: float = 3.0
    """How long calls wait for a connection before they fail UNAVAILABLE."""
    timeout: float | None = 10.0
    """Default timeout of unary calls; ``None``: no timeout."""
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    """How safe calls are retried."""
    calls_max: int = limits.CALLS_IN_FLIGHT_MAX
    """Most calls that wait for a response at the same time."""


class Answer(NamedTuple):
    """The response to a unary call: an encoded message."""

    body: bytes
    metadata: Mapping[str, str]


@dataclass(slots=True)
class _Outgoing:
    """A running call."""

    method: str
    context: bytes
    """Encoded metadata and idempotency key, which follow the header: its last members."""
    body: bytes
    sink: asyncio.Future[Answer] | StreamBuffer

    def fail(self, error: RPCError) -> None:
        if isinstance(self.sink, StreamBuffer):
            self.sink.finish(error)
        elif not self.sink.done():
            self.sink.set_exception(error)


class Connection:
    """A connection to a server: a :class:`~tidings.rpc.transport.Transport`.

    It is established as soon as possible and reestablished whenever it is lost. A new connection
    uses a new socket: libzmq reconnects a socket automatically, but discards responses that arrived
    before the loss, and might send requests later that were already reported as failed.
    """

    def __init__(
        self, settings: ConnectionSettings, context: zmq.Context[zmq.Socket[bytes]]
    ) -> None:
        """Starts connecting, on the running loop.

        If the server is unreachable, the calls fail; a malformed endpoint raises
        :class:`~tidings.rpc.errors.InvalidArgument`.
        """
        self._settings = settings
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._ids = itertools.count(1)
        self._calls: dict[int, _Outgoing] = {}
        self._context_of_calls = RequestHeader(metadata=settings.metadata).SerializeToString()
        # Filled for each request: to make a header takes longer than to encode it.
        self._header = RequestHeader()
        self._controls: deque[RequestHeader] = deque()
        self._renewal = Renewal()
        self._last_failure: LinkEvent | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._turn_is_due = False
        self._end: RPCError | None = None
        self._table = CallTable(
            settings.endpoint,
            settings.connect_timeout,
            settings.retry,
            settings.calls_max,
            self._loop.time(),
        )
        self._link = self._make_link()

    # Calls.

    async def unary(
        self,
        method: MethodDescriptor[Request, Response],
        request: Request,
        options: CallOptions,
    ) -> Response:
        """Makes a unary call; cancelling the task cancels the call. Raises ``RPCError``."""
        is_safe = options.is_safe(method)
        body = request.SerializeToString()
        answer = await self.unary_bytes(method.full_name, body, options, is_safe=is_safe)
        try:
            return decode(method.response_type, answer.body)
        except DecodeError as error:
            raise invalid_response(error) from None

    def server_streaming(
        self,
        method: MethodDescriptor[Request, Response],
        request: Request,
        options: CallOptions,
    ) -> MessageStream[Response]:
        """Starts a server-streaming call; errors are raised by the stream."""
        is_safe = options.is_safe(method)
        buffer, call_id = self._start_stream(
            method.full_name, request.SerializeToString(), options, is_safe
        )
        return self._stream(
            functools.partial(decode, method.response_type), buffer, call_id, options
        )

    async def unary_bytes(
        self, method: str, body: bytes, options: CallOptions, *, is_safe: bool
    ) -> Answer:
        """Makes a unary call with encoded messages, for tools without stubs.

        ``is_safe``: the call may be retried, because repeating it has no further effect.
        """
        answer: asyncio.Future[Answer] = self._loop.create_future()
        call_id = self._start(method, body, options, is_safe, self._settings.timeout, answer)
        try:
            return await answer
        finally:
            self._give_up(call_id)

    def server_streaming_bytes(
        self, method: str, body: bytes, options: CallOptions, *, is_safe: bool
    ) -> MessageStream[bytes]:
        """Starts a server-streaming call with encoded messages, for tools without stubs."""
        buffer, call_id = self._start_stream(method, body, options, is_safe)
        return self._stream(bytes, buffer, call_id, options)

    def close(self) -> None:
        """Fails running calls with CANCELLED, and closes the socket."""
        self._close(Cancelled(StatusCode.CANCELLED, "the connection is closed"))

    def _close(self, reason: RPCError) -> None:
        if self._end is not None:
            return
        self._end = reason
        self._perform(self._table.end_all(reason))
        if self._timer is not None:
            self._timer.cancel()
        self._send_controls()
        self._link.close(linger_milliseconds=limits.LINGER_MILLISECONDS)

    def _stream(
        self,
        decode: Callable[[bytes], Item],
        buffer: StreamBuffer,
        call_id: int,
        options: CallOptions,
    ) -> MessageStream[Item]:
        return MessageStream(
            decode,
            buffer,
            options.credit,
            lambda count: self._grant(call_id, count),
            lambda: self._give_up(call_id),
        )

    def _start_stream(
        self, method: str, body: bytes, options: CallOptions, is_safe: bool
    ) -> tuple[StreamBuffer, int]:
        buffer = StreamBuffer()
        try:
            return buffer, self._start(method, body, options, is_safe, None, buffer)
        except RPCError as error:
            buffer.finish(error)
            return buffer, 0

    def _start(
        self,
        method: str,
        body: bytes,
        options: CallOptions,
        is_safe: bool,
        timeout: float | None,
        sink: asyncio.Future[Answer] | StreamBuffer,
    ) -> int:
        """Adds a call, which is sent in the next turn; raises an error if it is rejected."""
        if self._end is not None:
            raise self._end.copied()
        refusal = options.refusal() or _frame_refusal(body)
        if refusal is not None:
            raise refusal
        now = self._loop.time()
        if options.timeout is not None:
            timeout = options.timeout
        deadline = None if timeout is None or math.isinf(timeout) else now + timeout
        call_id = next(self._ids)
        refusal = self._table.start(call_id, is_safe=is_safe, deadline=deadline, now=now)
        if refusal is not None:
            raise refusal
        self._calls[call_id] = _Outgoing(method, self._context_of(options), body, sink)
        self._schedule_turn()
        return call_id

    def _context_of(self, options: CallOptions) -> bytes:
        context = self._context_of_calls
        if options.metadata:
            metadata = {**self._settings.metadata, **options.metadata}
            context = RequestHeader(metadata=metadata).SerializeToString()
        if options.idempotency_key or options.credit:
            key = options.idempotency_key or ""
            context += RequestHeader(idempotency_key=key, credit=options.credit).SerializeToString()
        return context

    def _grant(self, call_id: int, count: int) -> None:
        if self._table.is_running(call_id):
            self._control(RequestHeader(call_id=call_id, kind=REQUEST_KIND_CREDIT, credit=count))

    def _give_up(self, call_id: int) -> None:
        """Cancels a call; has no effect if it has ended."""
        if self._calls.pop(call_id, None) is not None:
            self._perform(self._table.cancel(call_id))

    def _control(self, header: RequestHeader) -> None:
        self._controls.append(header)
        self._schedule_turn()

    # The loop.

    def _schedule_turn(self) -> None:
        """Schedules a turn, which sends all calls that tasks have started before it as a batch."""
        if not self._turn_is_due and self._end is None:
            self._turn_is_due = True
            self._loop.call_soon(self._turn)

    def _turn(self) -> None:
        self._turn_is_due = False
        if self._end is not None:
            return
        try:
            self._take_turn()
        except (zmq.ZMQError, InvalidArgument) as error:
            # Not caused by a peer, for example because there are no descriptors left.
            reason = f"the client's socket failed: {error}"
            self._close(Unavailable(StatusCode.UNAVAILABLE, reason))

    def _take_turn(self) -> None:
        self._follow_connection()
        is_busy = self._receive_responses(_MESSAGES_PER_TURN) == _MESSAGES_PER_TURN
        self._perform(self._table.expire(self._loop.time()))
        self._send_requests()
        # Sending may have made libzmq receive a response without signalling the descriptor, and
        # a full queue may have room again.
        has_unsent = self._table.next_unsent() is not None or bool(self._controls)
        if is_busy or self._link.is_readable or (has_unsent and self._link.is_writable):
            self._schedule_turn()
        self._set_timer()

    def _set_timer(self) -> None:
        timers = [timer for timer in (self._table.next_timer, self._renewal.due) if timer]
        due = min(timers, default=None)
        if self._timer is not None:
            if self._timer.when() == due:
                return
            self._timer.cancel()
        self._timer = None if due is None else self._loop.call_at(due, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self._schedule_turn()

    # The connection.

    def _make_link(self) -> Link:
        return Link(
            self._context,
            zmq.DEALER,
            self._settings.endpoint,
            self._settings.keys,
            self._schedule_turn,
            connect_timeout=self._settings.connect_timeout,
        )

    def _renew_link(self) -> None:
        lost, self._link = self._link, self._make_link()
        lost.close()

    def _follow_connection(self) -> None:
        if self._renewal.is_due(self._loop.time()):
            self._renew_link()
        while (event := self._link.monitor.next()) is not None:
            if event is LinkEvent.CONNECTED:
                self._table.connected()
                self._renewal.stop()
                self._last_failure = None
            elif event is not LinkEvent.DISCONNECTED:
                self._connection_failed(event)
            elif self._table.is_connected:
                # Responses that arrived before the loss can still be received.
                self._receive_responses()
                self._controls.clear()
                self._perform(self._table.connection_lost(self._loop.time()))
                self._renew_link()
            else:
                self._renewal.schedule(self._loop.time())

    def _connection_failed(self, event: LinkEvent) -> None:
        """Records why connecting failed."""
        # The peer may close the connection before the cause is known: the earlier reason is kept.
        if (
            event is LinkEvent.HANDSHAKE_CLOSED
            and self._last_failure is LinkEvent.PROTOCOL_MISMATCH
        ):
            return
        has_keys = self._settings.keys is not None
        failure = connection_failure(event, self._settings.endpoint, has_keys=has_keys)
        if failure is None:
            return
        self._last_failure = event
        fails_calls = event is LinkEvent.REFUSED
        self._perform(self._table.connection_failed(failure, fails_calls=fails_calls))

    # Messages.

    def _receive_responses(self, count_max: int | None = None) -> int:
        count = 0
        now = self._loop.time()
        while count_max is None or count < count_max:
            frames = self._link.receive()
            if frames is None:
                break
            count += 1
            if len(frames) >= 2:
                self._handle_response(frames[-2], frames[-1], now)
        return count

    def _handle_response(self, head: bytes, body: bytes, now: float) -> None:
        try:
            header = ResponseHeader.FromString(head)
        except DecodeError:
            return
        error = None
        if header.status:
            code = StatusCode(header.status)
            error = RPCError.of(code, header.message, list(header.details), header.metadata)
            reception = self._table.failed(
                header.call_id,
                is_unavailable=code is StatusCode.UNAVAILABLE,
                retry_after=_retry_after(error),
                jitter=random.random(),
                now=now,
            )
        else:
            reception = self._table.received(header.call_id, is_last=header.end_of_stream)
        call = self._calls.get(header.call_id)
        if call is None or reception in (Reception.IGNORE, Reception.RETRY):
            return
        if reception is Reception.DELIVER_LAST:
            del self._calls[header.call_id]
        if error is not None:
            call.fail(error)
        elif isinstance(call.sink, StreamBuffer):
            self._deliver(header, body, call.sink)
        elif not call.sink.done():
            # Most have none, and a dict of an empty map takes as long as reading the header.
            metadata = dict(header.metadata) if header.metadata else {}
            call.sink.set_result(Answer(body, metadata))

    def _deliver(self, header: ResponseHeader, body: bytes, stream: StreamBuffer) -> None:
        if header.has_message and not stream.push(body):
            stream.finish(
                Internal(
                    StatusCode.INTERNAL, "the server sent more messages than it had credit for"
                )
            )
            self._give_up(header.call_id)
        elif header.end_of_stream:
            stream.metadata = dict(header.metadata)
            stream.finish()

    def _send_requests(self) -> None:
        header, now = self._header, self._loop.time()
        while (unsent := self._table.next_unsent()) is not None:
            call_id, deadline = unsent
            call = self._calls.get(call_id)
            if call is not None:
                header.call_id, header.method = call_id, call.method
                header.timeout_ms = _milliseconds(deadline, now)
                if not self._link.send(header.SerializeToString() + call.context, call.body):
                    return
            self._table.sent(call_id)
        self._send_controls()

    def _send_controls(self) -> None:
        while self._controls:
            if not self._link.send(self._controls[0].SerializeToString(), b""):
                return
            self._controls.popleft()

    def _perform(self, actions: list[Action]) -> None:
        for action in actions:
            match action:
                case Fail(call_id, error):
                    call = self._calls.pop(call_id, None)
                    if call is not None:
                        call.fail(error)
                case SendCancel(call_id):
                    self._control(RequestHeader(call_id=call_id, kind=REQUEST_KIND_CANCEL))


def _milliseconds(deadline: float | None, now: float) -> int:
    """A timeout as in a header."""
    if deadline is None:
        return 0
    rest = math.ceil((deadline - now) * 1000)
    return min(max(1, rest), limits.TIMEOUT_MILLISECONDS_MAX)


def _retry_after(error: RPCError) -> float | None:
    """Only these two status codes request a delay."""
    if error.code not in (StatusCode.UNAVAILABLE, StatusCode.RESOURCE_EXHAUSTED):
        return None
    return error.retry_after


def _frame_refusal(body: bytes) -> RPCError | None:
    if len(body) <= limits.FRAME_BYTES_MAX:
        return None
    return ResourceExhausted(
        StatusCode.RESOURCE_EXHAUSTED,
        f"request of {len(body)} bytes: at most {limits.FRAME_BYTES_MAX} are allowed",
    )
