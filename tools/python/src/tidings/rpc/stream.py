"""The messages of a server-streaming call, as they arrive."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Generic, TypeVar

from google.protobuf.message import DecodeError

from tidings.rpc import limits
from tidings.rpc.credit import CreditGrants
from tidings.rpc.errors import Internal, RPCError
from tidings.rpc.status import StatusCode

Item = TypeVar("Item")


class StreamBuffer:
    """A bounded queue of messages from a connection to one reader."""

    def __init__(self) -> None:
        self._messages: deque[bytes] = deque()
        self._reader: asyncio.Future[None] | None = None
        self._error: RPCError | None = None
        self.is_finished = False
        self.metadata: Mapping[str, str] = {}

    def push(self, message: bytes) -> bool:
        """Adds a message; ``False`` if the server sent more messages than it had credit for."""
        if len(self._messages) >= limits.CREDIT_MAX:
            return False
        self._messages.append(message)
        self._wake()
        return True

    def finish(self, error: RPCError | None = None) -> None:
        """Ends the stream after the queued messages; ``None`` means status OK."""
        if not self.is_finished:
            self.is_finished = True
            self._error = error
            self._wake()

    async def next(self) -> bytes | None:
        """Waits for the next message; ``None`` after the last one. One reader at a time."""
        while not self._messages:
            if self.is_finished:
                # Whoever repeats a call that is refused at once lets other tasks run in between.
                await asyncio.sleep(0)
                if self._error is not None:
                    raise self._error
                return None
            if self._reader is not None:
                raise RuntimeError("a stream can be read by one task only")
            self._reader = asyncio.get_running_loop().create_future()
            try:
                await self._reader
            finally:
                self._reader = None
        return self._messages.popleft()

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)


class MessageStream(Generic[Item]):
    """The messages of a server-streaming call: ``async for``, once, by one task.

    Grants the server credit for consumed messages, half a window at a time, so that it never sends
    more than a window ahead; for a slow consumer, less is granted every 10 s. Cancelling the
    task, :meth:`aclose`, leaving ``async with`` and dropping the stream cancel the call.

    Raises ``RPCError`` if the call fails.
    """

    def __init__(
        self,
        decode: Callable[[bytes], Item],
        buffer: StreamBuffer,
        window: int,
        on_credit: Callable[[int], None],
        on_cancel: Callable[[], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._decode = decode
        self._buffer = buffer
        self._grants = CreditGrants(window, self._loop.time())
        self._on_credit = on_credit
        self._on_cancel = on_cancel

    @property
    def metadata(self) -> Mapping[str, str]:
        """The metadata of the final response, after the stream has ended with status OK."""
        return self._buffer.metadata

    def __aiter__(self) -> MessageStream[Item]:
        return self

    async def __anext__(self) -> Item:
        try:
            data = await self._buffer.next()
        except asyncio.CancelledError:
            self._give_up()
            raise
        if data is None:
            raise StopAsyncIteration
        granted = self._grants.consumed(self._loop.time())
        if granted:
            self._on_credit(granted)
        try:
            return self._decode(data)
        except DecodeError as error:
            self._give_up()
            raise invalid_response(error) from None

    async def aclose(self) -> None:
        """Cancels the call, unless it has ended."""
        self._give_up()

    async def __aenter__(self) -> MessageStream[Item]:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._give_up()

    def __del__(self) -> None:
        # The garbage collector may run in any thread, and after a failed constructor.
        buffer: StreamBuffer | None = getattr(self, "_buffer", None)
        if buffer is not None and not buffer.is_finished and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._on_cancel)

    def _give_up(self) -> None:
        if not self._buffer.is_finished:
            self._buffer.finish(RPCError.of(StatusCode.CANCELLED, "the call was cancelled"))
            self._on_cancel()


class SyncMessageStream(Generic[Item]):
    """The messages of a server-streaming call for programs without an event loop: ``for``, once."""

    def __init__(
        self,
        stream: MessageStream[Item],
        take: Callable[[MessageStream[Item]], Item],
        close: Callable[[MessageStream[Item]], None],
    ) -> None:
        self._stream = stream
        self._take = take
        self._close = close

    def __iter__(self) -> SyncMessageStream[Item]:
        return self

    def __next__(self) -> Item:
        try:
            return self._take(self._stream)
        except StopAsyncIteration:
            raise StopIteration from None

    def close(self) -> None:
        """Cancels the call, unless it has ended."""
        self._close(self._stream)

    def __enter__(self) -> SyncMessageStream[Item]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def invalid_response(error: DecodeError) -> RPCError:
    """The error for a response that cannot be decoded."""
    return Internal(StatusCode.INTERNAL, f"invalid response: {error}")
