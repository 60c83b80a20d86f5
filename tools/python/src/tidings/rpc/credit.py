"""How the reader of a stream lets it go on."""

from __future__ import annotations

from tidings.rpc import limits


class CreditGrants:
    """Gives consumed messages back to the server as credit, half a window at a time.

    So the server never sends more than the window ahead, and does not wait for each message either.
    """

    def __init__(self, window: int) -> None:
        """Begins with what the call carried: 1 to 1024 messages; 0 counts as 16."""
        self.window = window or limits.CREDIT_DEFAULT
        self._batch = max(1, self.window // 2)
        self._consumed = 0

    def consumed(self) -> int:
        """A message was taken; returns how many more the server may send now."""
        self._consumed += 1
        if self._consumed < self._batch:
            return 0
        granted, self._consumed = self._consumed, 0
        return granted
