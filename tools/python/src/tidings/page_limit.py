"""How many items a page may have, where large answers do not arrive."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from tidings.rpc.errors import RPCError
from tidings.rpc.status import StatusCode

Page = TypeVar("Page")

USUAL = 400
"""So many items a server puts into a page, unless it is configured otherwise."""
PASSES_MIN = 8
"""Pages that must arrive before more is requested."""


class PageLimit:
    """Fetches pages, smaller ones after one was lost.

    A page that is lost with its connection, or larger than a frame, is requested again with half as
    many items, down to one; after some pages that arrived, twice as many are requested, until
    nothing is bounded any more.
    """

    def __init__(self) -> None:
        self._bound: int | None = None
        self._passes = 0

    def limit(self, asked: int) -> int:
        """Returns what to request instead of ``asked``; 0: as many as the server allows."""
        if self._bound is None:
            return asked
        return min(asked, self._bound) if asked else self._bound

    def lost(self, limit: int) -> bool:
        """Notes that a page did not arrive; returns whether fewer items will be requested."""
        self._passes = 0
        had = min(limit, USUAL) if limit else USUAL
        if had <= 1:
            return False
        # Another page that was lost at the same time may have lowered it already.
        self._bound = had // 2 if self._bound is None else min(self._bound, had // 2)
        return True

    def passed(self) -> None:
        """Notes that a page arrived."""
        if self._bound is None:
            return
        self._passes += 1
        if self._passes >= PASSES_MIN:
            self._passes = 0
            self._bound = None if self._bound >= USUAL // 2 else self._bound * 2

    async def page(self, asked: int, call: Callable[[int], Awaitable[Page]]) -> Page:
        """Fetches a page of at most ``asked`` items.

        A page that timed out is not requested again, since nobody knows why it did; the next one is
        smaller.
        """
        while True:
            limit = self.limit(asked)
            try:
                page = await call(limit)
            except RPCError as error:
                is_late = error.code == StatusCode.DEADLINE_EXCEEDED
                can_be_smaller = error.has_unknown_outcome or error.is_frame_too_large
                if not (can_be_smaller or is_late):
                    raise
                is_smaller = self.lost(limit)
                if not is_smaller and error.is_frame_too_large:
                    # One item is too large, which says nothing about others.
                    self._bound = None
                if is_late or not is_smaller:
                    raise
            else:
                self.passed()
                return page
