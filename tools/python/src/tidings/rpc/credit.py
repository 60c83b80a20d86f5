"""Flow control of a stream by its reader."""

from __future__ import annotations

from tidings.rpc import limits


class CreditGrants:
    """Grants the server credit for consumed messages, half a window at a time.

    The server therefore never sends more than a window ahead, and need not wait after each message.
    For a slow consumer, less is granted after a while: a server cancels a stream that gets no
    credit for long. A value without clock: times are seconds of any monotonic clock.
    """

    PATIENCE = 10.0
    """After so many seconds, less than half a window is granted."""

    def __init__(self, window: int, now: float) -> None:
        """Starts with the credit of the call: 1 to 1024 messages; 0 means 16."""
        self.window = window or limits.CREDIT_DEFAULT
        self._batch = max(1, self.window // 2)
        self._consumed = 0
        self._last_grant = now

    def consumed(self, now: float) -> int:
        """A message was consumed; returns how many more messages the server may send."""
        self._consumed += 1
        if self._consumed < self._batch and now - self._last_grant < self.PATIENCE:
            return 0
        granted, self._consumed, self._last_grant = self._consumed, 0, now
        return granted
