"""Flow control of a stream by its reader."""

from __future__ import annotations

from tidings.rpc import limits


class CreditGrants:
    """Grants the server credit for consumed messages, half a window at a time.

    The server therefore never sends more than a window ahead, and need not wait after each message.
    """

    def __init__(self, window: int) -> None:
        """Starts with the credit of the call: 1 to 1024 messages; 0 means 16."""
        self.window = window or limits.CREDIT_DEFAULT
        self._batch = max(1, self.window // 2)
        self._consumed = 0

    def consumed(self) -> int:
        """A message was consumed; returns how many more messages the server may send."""
        self._consumed += 1
        if self._consumed < self._batch:
            return 0
        granted, self._consumed = self._consumed, 0
        return granted
