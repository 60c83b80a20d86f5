"""A connection to a server, shared by all tasks of an event loop."""

from __future__ import annotations

import asyncio
import functools
import itertools
import math
import random
import sys
import warnings
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import zmq
from google.protobuf.message import DecodeError

from tidings.rpc import limits
from tidings.rpc.call_table import Action, CallTable, Fail, Reception, SendCancel
from tidings.rpc.context import Context, end_context_later
from tidings.rpc.errors import (
    Cancelled,
    Internal,
    InvalidArgument,
    ResourceExhausted,
    RPCError,
    Unavailable,
)
from tidings.rpc.failure import ConnectionFailure
from tidings.rpc.keys import ClientKeys
from tidings.rpc.link import Link
from tidings.rpc.method import MethodDescriptor, Request, Response
from tidings.rpc.monitor import LinkEvent
from tidings.rpc.nesting import decode
from tidings.rpc.options import CallOptions
from tidings.rpc.retry import RetryPolicy
from tidings.rpc.ring import EndpointRing, check_endpoints
from tidings.rpc.status import StatusCode
from tidings.rpc.stream import Item, MessageStream, StreamBuffer, invalid_response
from tidings.rpc.v1.header_pb2 import (
    REQUEST_KIND_CANCEL,
    REQUEST_KIND_CREDIT,
    RequestHeader,
    ResponseHeader,
)
from tidings.rpc.weak import WeakCallback, run_on

_MESSAGES_PER_TURN = 256
"""After this many messages, other tasks of the loop run."""


@dataclass(frozen=True)
class ConnectionSettings:
    """The server to call, and timeouts. Times are in seconds."""

    endpoints: Sequence[str]
    """For example ``tcp://127.0.0.1:5570``; of several, the first that connects is used until it is
    lost or drains, then the next one is tried."""
    keys: ClientKeys | None = None
    """``None``: the server is in development mode."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    """Sent with every call."""
    connect_timeout: float = 10.0
    """How long calls wait for a connection, to any endpoint, before they fail UNAVAILABLE."""
    timeout: float | None = 10.0
    """Default timeout of unary calls; ``None``: no timeout."""
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    """How safe calls are retried."""
    calls_max: int = limits.CALLS_IN_FLIGHT_MAX
    """Most calls that wait for a response at the same time."""
    trace_parent: Callable[[], str | None] | None = None
    """The ``traceparent`` of the span that a call is part of, asked for with each call."""
    on_move: Callable[[], None] | None = None
    """Called when the connection has moved to another endpoint; must not block."""


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
    uses a new socket: libzmq reconnects a socket automatically, but might send requests later that
    were already reported as failed.
    """

    def __init__(self, settings: ConnectionSettings, context: Context) -> None:
        """Starts connecting, on the running loop, which must be the one that calls are made on.

        If the server is unreachable, the calls fail; a malformed endpoint raises
        :class:`~tidings.rpc.errors.InvalidArgument`. A connection that is dropped without
        :meth:`close` warns, closes, and ends the context.
        """
        self._end: RPCError | None = None
        check_endpoints(settings.endpoints)
        self._settings = settings
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._ids = itertools.count(1)
        self._calls: dict[int, _Outgoing] = {}
        self._context_of_calls = RequestHeader(metadata=settings.metadata).SerializeToString()
        # Filled for each request: to make a header takes longer than to encode it.
        self._header = RequestHeader()
        self._controls: deque[RequestHeader] = deque()
        self._previous_controls: deque[RequestHeader] = deque()
        self._ring = EndpointRing(
            settings.endpoints,
            settings.connect_timeout,
            self._loop.time(),
            has_keys=settings.keys is not None,
        )
        self._last_endpoint: str | None = None
        """Of the last connection."""
        self._must_leave = False
        self._timer: asyncio.TimerHandle | None = None
        self._turn_is_due = False
        # The loop holds neither a connection that nobody uses nor one of which only it knows.
        self._ready = WeakCallback(self._schedule_turn)
        self._turn_ready = WeakCallback(self._turn)
        self._timer_ready = WeakCallback(self._on_timer)
        self._table = CallTable(
            self._ring.current,
            settings.connect_timeout,
            settings.retry,
            settings.calls_max,
            self._loop.time(),
            len(settings.endpoints),
        )
        # The connection to a server that drains, until all of its calls are answered.
        self._previous: Link | None = None
        self._link = self._make_link()
        self._report_progress()

    async def connected(self, within: float | None = None) -> None:
        """Waits until there is a connection, so that the time of the next call is its own.

        ``within``: how long; ``None``: as long as calls wait for one. Raises ``Unavailable`` with
        the reason why there is none, and ``Unauthenticated`` if the key is not admitted.
        """
        self._check_loop()
        if self._end is None and self._table.is_connected:
            return
        answer: asyncio.Future[Answer] = self._loop.create_future()
        call_id = self._add(
            _Outgoing("", b"", b"", answer), is_safe=True, deadline=None, patience=within
        )
        try:
            await answer
        finally:
            self._give_up(call_id)

    # Calls.

    async def unary(
        self,
        method: MethodDescriptor[Request, Response],
        request: Request,
        options: CallOptions,
    ) -> Response:
        """Makes a unary call; cancelling the task cancels the call. Raises ``RPCError``."""
        is_safe, options = options.is_safe(method), self._repeatable(method, options)
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
        is_safe, options = options.is_safe(method), self._repeatable(method, options)
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
        self._check_loop()
        answer: asyncio.Future[Answer] = self._loop.create_future()
        try:
            call_id = self._start(method, body, options, is_safe, self._settings.timeout, answer)
        except RPCError:
            # Whoever repeats a call that is refused at once lets other tasks run in between.
            await asyncio.sleep(0)
            raise
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

    def _repeatable(
        self, method: MethodDescriptor[Request, Response], options: CallOptions
    ) -> CallOptions:
        is_repeated = self._settings.retry.attempts_max > 1
        return options.with_repetition_key(method) if is_repeated else options

    def close(self) -> None:
        """Fails running calls with CANCELLED, and closes the socket."""
        if self._loop.is_running():
            self._check_loop()
        self._close(Cancelled(StatusCode.CANCELLED, "the connection is closed"))

    def __del__(self) -> None:
        # The garbage collector may run in any thread, and after a failed constructor.
        link: Link | None = getattr(self, "_link", None)
        if link is None or self._end is not None or sys.is_finalizing():
            return
        links = [link] if self._previous is None else [link, self._previous]
        timer, context = self._timer, self._context

        def end() -> None:
            if timer is not None:
                timer.cancel()
            for link in links:
                link.close()
            end_context_later(context)

        run_on(self._loop, end)
        # Where warnings are errors, it raises.
        warnings.warn(
            f"unclosed client of {self._ring.current}: use 'async with', or await aclose()",
            ResourceWarning,
            stacklevel=1,
            source=self,
        )

    def _check_loop(self) -> None:
        if asyncio.get_running_loop() is not self._loop:
            raise RuntimeError(
                "the client belongs to another event loop: create one on each loop, or use "
                "tidings.sync"
            )

    def _close(self, reason: RPCError) -> None:
        if self._end is not None:
            return
        self._end = reason
        self._perform(self._table.end_all(reason))
        self._ready.keeps = None
        if self._timer is not None:
            self._timer.cancel()
        self._send_controls()
        self._link.close(linger_milliseconds=limits.LINGER_MILLISECONDS)
        if self._previous is not None:
            self._previous.close(linger_milliseconds=limits.LINGER_MILLISECONDS)

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
        self._check_loop()
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
        refusal = options.refusal() or _frame_refusal(body)
        if self._end is None and refusal is not None:
            raise refusal
        if options.timeout is not None:
            timeout = options.timeout
        is_limited = timeout is not None and not math.isinf(timeout)
        deadline = self._loop.time() + (timeout or 0.0) if is_limited else None
        call = _Outgoing(method, self._context_of(options), body, sink)
        return self._add(call, is_safe=is_safe, deadline=deadline)

    def _add(
        self,
        call: _Outgoing,
        *,
        is_safe: bool,
        deadline: float | None,
        patience: float | None = None,
    ) -> int:
        if self._end is not None:
            raise self._end.copied()
        call_id = next(self._ids)
        refusal = self._table.start(
            call_id, is_safe=is_safe, deadline=deadline, now=self._loop.time(), patience=patience
        )
        if refusal is not None:
            raise refusal
        self._calls[call_id] = call
        self._ready.keeps = self
        self._schedule_turn()
        return call_id

    def _context_of(self, options: CallOptions) -> bytes:
        context = self._context_of_calls
        trace = self._settings.trace_parent() if self._settings.trace_parent else None
        if options.metadata or trace:
            parent = {"traceparent": trace} if trace else {}
            metadata = {**self._settings.metadata, **parent, **(options.metadata or {})}
            context = RequestHeader(metadata=metadata).SerializeToString()
        if options.idempotency_key or options.credit:
            key = options.idempotency_key or ""
            context += RequestHeader(idempotency_key=key, credit=options.credit).SerializeToString()
        return context

    def _grant(self, call_id: int, count: int) -> None:
        if self._table.is_running(call_id):
            header = RequestHeader(call_id=call_id, kind=REQUEST_KIND_CREDIT, credit=count)
            self._control(header, is_on_previous=self._table.is_on_previous(call_id))

    def _give_up(self, call_id: int) -> None:
        """Cancels a call; has no effect if it has ended."""
        if self._calls.pop(call_id, None) is not None:
            self._perform(self._table.cancel(call_id))
        if not self._calls:
            self._ready.keeps = None

    def _control(self, header: RequestHeader, *, is_on_previous: bool = False) -> None:
        (self._previous_controls if is_on_previous else self._controls).append(header)
        self._schedule_turn()

    # The loop.

    def _schedule_turn(self) -> None:
        """Schedules a turn, which sends all calls that tasks have started before it as a batch."""
        if not self._turn_is_due and self._end is None:
            self._loop.call_soon(self._turn_ready)
            self._turn_is_due = True

    def _turn(self) -> None:
        self._turn_is_due = False
        if self._end is not None:
            return
        try:
            self._take_turn()
        except (zmq.ZMQError, InvalidArgument) as error:
            # Not caused by a peer.
            reason = f"the client's socket failed: {error}"
            self._close(Unavailable(StatusCode.UNAVAILABLE, reason))
        if not self._calls:
            self._ready.keeps = None

    def _take_turn(self) -> None:
        self._follow_connection()
        is_busy = self._receive_responses(_MESSAGES_PER_TURN) == _MESSAGES_PER_TURN
        if self._previous is not None:
            self._follow_previous(self._previous)
        self._perform(self._table.expire(self._loop.time()))
        self._send_requests()
        # Sending may have made libzmq receive a response without signalling the descriptor, and
        # a full queue may have room again.
        has_unsent = self._table.next_unsent() is not None or bool(self._controls)
        if is_busy or self._link.is_readable or (has_unsent and self._link.is_writable):
            self._schedule_turn()
        self._set_timer()

    def _set_timer(self) -> None:
        timers = [timer for timer in (self._table.next_timer, self._ring.due) if timer]
        due = min(timers, default=None)
        if self._timer is not None:
            if self._timer.when() == due:
                return
            self._timer.cancel()
        self._timer = None if due is None else self._loop.call_at(due, self._timer_ready)

    def _on_timer(self) -> None:
        self._timer = None
        self._schedule_turn()

    # The connection.

    def _make_link(self) -> Link:
        return Link(
            self._context,
            zmq.DEALER,
            self._ring.route,
            self._settings.keys,
            self._ready,
            is_quick=self._ring.has_several,
        )

    def _renew_link(self) -> None:
        try:
            renewed = self._make_link()
        except (OSError, zmq.ZMQError, InvalidArgument) as error:
            # The process may have no descriptors left for a moment.
            failure = Unavailable(StatusCode.UNAVAILABLE, f"cannot create a socket: {error}")
            self._perform(self._table.connection_failed(failure, fails_calls=False))
            self._ring.disconnected(self._loop.time())
            return
        self._table.connecting(self._ring.current)
        left, self._link = self._link, renewed
        if self._table.awaits_previous and self._previous is None:
            self._previous = left
            self._previous_controls, self._controls = self._controls, deque()
        else:
            self._controls.clear()
            left.close()
        self._report_progress()

    def _follow_connection(self) -> None:
        if self._ring.is_due(self._loop.time()):
            self._renew_link()
        while (event := self._link.monitor.next()) is not None:
            self._follow(event)
            if self._ring.is_due(self._loop.time()):
                self._renew_link()

    def _follow(self, event: LinkEvent | ConnectionFailure) -> None:
        match event:
            case LinkEvent.CONNECTED:
                self._table.connected()
                self._ring.connected()
                last, self._last_endpoint = self._last_endpoint, self._ring.current
                if last not in (None, self._ring.current) and self._settings.on_move is not None:
                    self._settings.on_move()
            case LinkEvent.CONNECTING:
                self._ring.connecting()
                self._report_progress()
            case LinkEvent.ACCEPTED:
                self._ring.accepted()
                self._report_progress()
            case LinkEvent.DISCONNECTED:
                if self._table.is_connected or self._table.is_leaving:
                    # Responses that arrived before the loss can still be received.
                    self._receive_responses()
                    self._controls.clear()
                    self._perform(self._table.connection_lost(self._loop.time()))
                self._ring.disconnected(self._loop.time())
                self._report_failure()
            case ConnectionFailure():
                self._ring.failed(event, self._loop.time())
                self._report_failure()

    def _follow_previous(self, link: Link) -> None:
        """Receives the last responses of the previous connection, and closes it after them."""
        is_lost = False
        while (event := link.monitor.next()) is not None:
            is_lost = is_lost or event is LinkEvent.DISCONNECTED
        self._receive_responses(link=link)
        if is_lost:
            self._perform(self._table.previous_connection_lost())
        while self._previous_controls:
            if not link.send(self._previous_controls[0].SerializeToString(), b""):
                break
            self._previous_controls.popleft()
        if is_lost or not self._table.awaits_previous:
            self._previous = None
            self._previous_controls.clear()
            link.close(linger_milliseconds=limits.LINGER_MILLISECONDS)
        elif link.is_readable:
            self._schedule_turn()

    def _leave_if_needed(self) -> None:
        """A server that drains gets no more calls; its running calls are answered."""
        if self._must_leave and self._table.is_connected:
            self._table.leave(self._loop.time())
            self._ring.drained(self._loop.time())
            self._report_failure()
        self._must_leave = False

    def _report_failure(self) -> None:
        """Calls that wait for a connection know why there is none, or fail at once."""
        fails_calls = self._ring.is_refused_everywhere
        self._perform(self._table.connection_failed(self._ring.error, fails_calls=fails_calls))

    def _report_progress(self) -> None:
        """The same while an attempt is under way, which may succeed."""
        self._perform(self._table.connection_failed(self._ring.error, fails_calls=False))

    # Messages.

    def _receive_responses(self, count_max: int | None = None, link: Link | None = None) -> int:
        """Receives from the connection, or from another one; returns the number of messages."""
        count = 0
        now = self._loop.time()
        source = link or self._link
        while count_max is None or count < count_max:
            frames = source.receive()
            if frames is None:
                break
            count += 1
            if len(frames) >= 2:
                self._handle_response(frames[-2], frames[-1], now, is_on_previous=link is not None)
        self._leave_if_needed()
        return count

    def _handle_response(
        self, head: bytes, body: bytes, now: float, *, is_on_previous: bool
    ) -> None:
        try:
            header = ResponseHeader.FromString(head)
        except DecodeError:
            return
        error = None
        if header.status:
            code = StatusCode(header.status)
            error = RPCError.of(code, header.message, list(header.details), header.metadata)
            # While there is a previous connection, this one is not left: two are kept at most.
            is_unbegun = error.is_draining
            asks_next = (
                is_unbegun and self._ring.has_several and (is_on_previous or self._previous is None)
            )
            reception = self._table.failed(
                header.call_id,
                is_unavailable=code is StatusCode.UNAVAILABLE,
                retry_after=_retry_after(error),
                jitter=random.random(),
                now=now,
                is_unbegun=is_unbegun,
                is_uncertain=error.has_unknown_outcome,
                asks_next=asks_next,
            )
            if asks_next:
                self._must_leave = self._must_leave or not is_on_previous
            elif not is_on_previous:
                self._ring.answered()
        else:
            if not is_on_previous:
                self._ring.answered()
            reception = self._table.received(header.call_id, is_last=header.end_of_stream)
        call = self._calls.get(header.call_id)
        if call is None or reception in (Reception.IGNORE, Reception.RETRY):
            return
        if reception is not Reception.DELIVER:
            del self._calls[header.call_id]
        if error is not None:
            is_unknown = reception is Reception.DELIVER_UNKNOWN
            call.fail(error.after_unknown_outcome() if is_unknown else error)
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
            if call is not None and not call.method:
                # The connection itself was waited for.
                self._resolve(call_id, Answer(b"", {}))
                continue
            if call is not None:
                header.call_id, header.method = call_id, call.method
                header.timeout_ms = _milliseconds(deadline, now)
                if not self._link.send(header.SerializeToString() + call.context, call.body):
                    return
            self._table.sent(call_id)
        self._send_controls()

    def _resolve(self, call_id: int, answer: Answer) -> None:
        call = self._calls.pop(call_id)
        self._table.cancel(call_id)
        if isinstance(call.sink, asyncio.Future) and not call.sink.done():
            call.sink.set_result(answer)

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
                case SendCancel(call_id, is_on_previous):
                    header = RequestHeader(call_id=call_id, kind=REQUEST_KIND_CANCEL)
                    self._control(header, is_on_previous=is_on_previous)


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
