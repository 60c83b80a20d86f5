"""When and how often a safe call is sent again."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class RetryPolicy:
    """When and how often a safe call is sent again: five times within seconds unless told."""

    attempts_max: int = 5
    """Most times that a call is sent, the first included; at least 1."""
    first_pause_max: float = 0.1
    """The longest pause before the second attempt, in seconds; it doubles with each attempt."""
    pause_max: float = 2.0
    """The longest pause before any attempt, in seconds."""

    def pause(self, attempts: int, jitter: float) -> float:
        """Returns the seconds to wait after a call was sent ``attempts`` times.

        Anything between nothing and the bound ("full jitter", a number in [0, 1)), so that clients
        that failed together do not come back together.
        """
        doublings = min(max(attempts - 1, 0), 20)
        return min(self.first_pause_max * 2.0**doublings, self.pause_max) * jitter


class Backoff:
    """How long to wait before the next try: longer each time, never the same for all clients."""

    LONGEST = 10.0
    """The longest wait, in seconds."""
    _SHORTEST = 0.1

    def __init__(self) -> None:
        self._bound = self._SHORTEST

    def next(self) -> float:
        """The next wait in seconds: anything up to a bound that doubles."""
        bound, self._bound = self._bound, min(self._bound * 2, self.LONGEST)
        return bound * random.uniform(0.1, 1)

    def reset(self) -> None:
        """A try succeeded."""
        self._bound = self._SHORTEST
