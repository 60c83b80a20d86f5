"""A bounded set of the IDs that were seen last."""

from __future__ import annotations


class RecentIDs:
    """Stores the newest ``count_max`` IDs, at least 1."""

    def __init__(self, count_max: int) -> None:
        self._count_max = count_max
        # In insertion order.
        self._ids: dict[str, None] = {}

    def insert(self, name: str) -> bool:
        """Adds an ID; returns whether it is new."""
        if name in self._ids:
            return False
        if len(self._ids) >= self._count_max:
            del self._ids[next(iter(self._ids))]
        self._ids[name] = None
        return True
