"""Decides what the reader of a change feed does next: pages go in, what is to be done comes out."""

from __future__ import annotations

FOLLOW_WAIT = 50.0
"""How long a followed feed lets the server wait, in seconds: less than its longest wait of 60 s."""

SHORTEST_WAIT = 1.0
"""An answer that tells nothing and comes sooner, in seconds, was not waited for."""


class FeedState:
    """Where a reader stands."""

    def __init__(self, token: bytes, *, follows: bool) -> None:
        self.token = token
        """Where to continue."""
        self._follows = follows
        self._is_drained = False

    @property
    def next_wait(self) -> float | None:
        """How long the server is to wait for the next page, in seconds; ``None``: all is told."""
        if not self._is_drained:
            return 0.0
        return FOLLOW_WAIT if self._follows else None

    def fetched(self, token: bytes, *, more_coming: bool, is_empty: bool) -> bool:
        """A page came; returns whether to hand it out: the end of a wait for nothing is not."""
        is_progress = not is_empty or token != self.token
        is_first_end = not self._is_drained and not more_coming
        self.token = token
        self._is_drained = not more_coming
        return is_progress or (is_first_end and not self._follows)
