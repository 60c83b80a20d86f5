"""How many items a page may have, where large answers do not arrive."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tidings.rpc.errors import RPCError
from tidings.rpc.status import StatusCode

Page = TypeVar("Page")

USUAL = 400
"""So many items a server puts into a page, unless it is configured otherwise."""
PASSES_MIN = 8
"""Pages that must arrive before more is requested."""
SLOW_SECONDS = 5.0
"""A page that takes longer is close to a timeout, and to the end of its connection."""
LATE_MAX = 4
"""So many pages that time out in succession are a failure."""


class PageLimit:
    """Fetches pages, smaller ones after one was lost or took long.

    A page that is lost with its connection, or larger than a frame, is requested again with half as
    many items, down to one, and one that timed out with a quarter; after one that took long the
    next one has half as many. After some pages that arrived soon, twice as many are requested,
    until nothing is bounded any more.
    """

    def __init__(self) -> None:
        self._bound: int | None = None
        self._passes = 0

    def limit(self, asked: int) -> int:
        """Returns what to request instead of ``asked``; 0: as many as the server allows."""
        if self._bound is None:
            return asked
        return min(asked, self._bound) if asked else self._bound

    def lost(self, limit: int, divisor: int = 2) -> bool:
        """Notes that a page did not arrive; returns whether fewer items will be requested."""
        self._passes = 0
        had = min(limit, USUAL) if limit else USUAL
        if had <= 1:
            return False
        # Another page that was lost at the same time may have lowered it already.
        fewer = max(1, had // divisor)
        self._bound = fewer if self._bound is None else min(self._bound, fewer)
        return True

    def passed(self, limit: int, seconds: float) -> None:
        """Notes that a page arrived, and how long it took."""
        if seconds > SLOW_SECONDS:
            self.lost(limit)
        # Twice as many must not be slow.
        elif self._bound is not None and seconds < SLOW_SECONDS / 4:
            self._passes += 1
            if self._passes >= PASSES_MIN:
                self._passes = 0
                self._bound = None if self._bound >= USUAL // 2 else self._bound * 2

    async def page(
        self, asked: int, call: Callable[[int], Awaitable[Page]], late_max: int = LATE_MAX
    ) -> Page:
        """Fetches a page of at most ``asked`` items.

        When ``late_max`` pages in succession have timed out, the call fails.
        """
        loop = asyncio.get_running_loop()
        late = 0
        while True:
            limit = self.limit(asked)
            begin = loop.time()
            try:
                page = await call(limit)
            except RPCError as error:
                is_late = error.code == StatusCode.DEADLINE_EXCEEDED
                if not (is_late or error.has_unknown_outcome or error.is_frame_too_large):
                    raise
                late += is_late
                is_smaller = self.lost(limit, 4 if is_late else 2)
                if not is_smaller and error.is_frame_too_large:
                    # One item is too large, which says nothing about others.
                    self._bound = None
                if not is_smaller or late == late_max:
                    raise
            else:
                self.passed(limit, loop.time() - begin)
                return page
