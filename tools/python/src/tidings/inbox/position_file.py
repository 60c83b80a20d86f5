"""The file that holds an inbox's position: replaced as a whole, on the disk when a commit ends."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from tidings.inbox.errors import PositionDamaged, PositionInUse, PositionNotKept
from tidings.inbox.position import InboxPosition


class PositionFile:
    """A position file that nobody else can open: a file beside it, which stays, is locked."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Takes the file; it need not be there. Raises ``PositionInUse``, ``PositionNotKept``."""
        self.path = Path(path)
        try:
            self._lock = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise PositionNotKept(
                f"cannot open '{self.path}.lock': {error.strerror}: choose a path in a folder that "
                "is there and can be written"
            ) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise PositionInUse(
                f"the position file '{self.path}' is used by another inbox, of this process or "
                "another: close that one, or give each a file of its own"
            ) from None

    def read(self) -> InboxPosition | None:
        """Reads the position; ``None`` without a file.

        Raises ``PositionDamaged``, ``PositionNotKept``.
        """
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise PositionNotKept(f"cannot read '{self.path}': {error.strerror}") from None
        try:
            return InboxPosition.from_bytes(data)
        except PositionDamaged as error:
            raise PositionDamaged(
                f"the position file '{self.path}': {error}; put back a copy of it, or remove it to "
                "begin with the oldest notification that is kept"
            ) from None

    def write(self, position: InboxPosition) -> None:
        """Replaces the position; it is on the disk when this returns.

        Raises ``PositionNotKept``; the file then holds the old position or the new one.
        """
        temporary = f"{self.path}.new"
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(position.to_bytes())
                file.flush()
                os.fsync(descriptor)
            Path(temporary).replace(self.path)
            _synchronize(self.path.parent)
        except OSError as error:
            raise PositionNotKept(f"the position is not kept: {error}") from None

    def close(self) -> None:
        """Lets others have the file."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def _synchronize(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
