"""When and how often a safe call is retried."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class RetryPolicy:
    """When and how often a safe call is retried (default: five attempts within seconds)."""

    attempts_max: int = 5
    """Maximum number of attempts, including the first; at least 1."""
    first_pause_max: float = 0.1
    """Maximum delay before the second attempt, in seconds; it doubles with each attempt."""
    pause_max: float = 2.0
    """Maximum delay before any attempt, in seconds."""

    def pause(self, attempts: int, jitter: float) -> float:
        """Returns the delay in seconds after ``attempts`` attempts.

        A random part of the maximum ("full jitter", a number in [0, 1)), so that clients that
        failed at the same time do not retry at the same time.
        """
        doublings = min(max(attempts - 1, 0), 20)
        return min(self.first_pause_max * 2.0**doublings, self.pause_max) * jitter


class Backoff:
    """Exponential backoff with jitter."""

    LONGEST = 10.0
    """Maximum delay, in seconds."""
    _SHORTEST = 0.1

    def __init__(self) -> None:
        self._bound = self._SHORTEST

    def next(self) -> float:
        """The next delay in seconds: random, up to a bound that doubles."""
        bound, self._bound = self._bound, min(self._bound * 2, self.LONGEST)
        return bound * random.uniform(0.1, 1)

    def reset(self) -> None:
        """An attempt succeeded."""
        self._bound = self._SHORTEST
