"""A blocking iterator over an asynchronous iteration."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import TracebackType
from typing import Generic, TypeVar

from tidings.sync.loop import LoopThread

T = TypeVar("T")


class SyncIterator(Generic[T]):
    """Iterates with ``for``; to stop early, use ``with`` or :meth:`close`."""

    def __init__(self, loop: LoopThread, items: AsyncIterator[T]) -> None:
        self._loop = loop
        self._items = items

    def __iter__(self) -> SyncIterator[T]:
        return self

    def __next__(self) -> T:
        try:
            return self._loop.run(self._next())
        except StopAsyncIteration:
            raise StopIteration from None

    def close(self) -> None:
        """Ends the iteration."""
        close = getattr(self._items, "aclose", None)
        if close is not None:
            self._loop.run(close())

    def __enter__(self) -> SyncIterator[T]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def _next(self) -> T:
        return await self._items.__anext__()
