"""The file with the position of an inbox: replaced atomically, durable when a commit returns."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from tidings.inbox.errors import PositionDamaged, PositionFileError, PositionInUse
from tidings.inbox.position import InboxPosition


class PositionFile:
    """A position file with an exclusive lock on a second file, which is never removed."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Locks the file, which need not exist. Raises ``PositionInUse``, ``PositionFileError``."""
        self.path = Path(path)
        try:
            self._lock = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise PositionFileError(
                f"cannot open '{self.path}.lock': {error.strerror}: choose a path in an "
                "existing, writable folder"
            ) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise PositionInUse(
                f"the position file '{self.path}' is used by another inbox, of this or another "
                "process: close that inbox, or use a separate file for each"
            ) from None

    def read(self) -> InboxPosition | None:
        """Reads the position; ``None`` if there is no file.

        Raises ``PositionDamaged``, ``PositionFileError``.
        """
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise PositionFileError(f"cannot read '{self.path}': {error.strerror}") from None
        try:
            return InboxPosition.from_bytes(data)
        except PositionDamaged as error:
            raise PositionDamaged(
                f"the position file '{self.path}': {error}; restore a copy, or remove it to "
                "start at the oldest retained notification"
            ) from None

    def write(self, position: InboxPosition) -> None:
        """Replaces the position; it is durable when this returns.

        Raises ``PositionFileError``; the file then contains the old position or the new one.
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
            raise PositionFileError(f"cannot write the position file: {error}") from None

    def close(self) -> None:
        """Releases the lock."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def _synchronize(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
