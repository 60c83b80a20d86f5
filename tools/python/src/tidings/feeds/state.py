"""Decides what the reader of a change feed does next: pages go in, actions come out."""

from __future__ import annotations

FOLLOW_WAIT = 50.0
"""How long the server waits in a followed feed, in seconds; less than its maximum of 60 s."""

SHORTEST_WAIT = 1.0
"""If an empty page arrives in less than this many seconds, the server did not wait."""


class FeedState:
    """The state of a reader."""

    def __init__(self, token: bytes, *, follows: bool) -> None:
        self.token = token
        """Where the next page starts."""
        self._follows = follows
        self._is_drained = False

    @property
    def next_wait(self) -> float | None:
        """How long the server waits for the next page, in seconds; ``None`` after the last page."""
        if not self._is_drained:
            return 0.0
        return FOLLOW_WAIT if self._follows else None

    def fetched(self, token: bytes, *, more_coming: bool, is_empty: bool) -> bool:
        """A page arrived; returns whether to yield it, which an empty page after a wait is not."""
        is_progress = not is_empty or token != self.token
        is_first_end = not self._is_drained and not more_coming
        self.token = token
        self._is_drained = not more_coming
        return is_progress or (is_first_end and not self._follows)
