"""Names that were seen, the newest so many of them."""

from __future__ import annotations


class RecentIDs:
    """Remembers the newest names, ``count_max`` of them, at least 1."""

    def __init__(self, count_max: int) -> None:
        self._count_max = count_max
        # In the order in which they were seen.
        self._ids: dict[str, None] = {}

    def insert(self, name: str) -> bool:
        """Remembers a name; returns whether it was not remembered already."""
        if name in self._ids:
            return False
        if len(self._ids) >= self._count_max:
            del self._ids[next(iter(self._ids))]
        self._ids[name] = None
        return True
