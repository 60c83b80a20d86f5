"""The default key ring of a user."""

from __future__ import annotations

import logging
import os
import secrets
from pathlib import Path

from tidings.encryption.errors import KeyRingError
from tidings.encryption.key import EncryptionKey
from tidings.encryption.key_ring import KeyRing, KeyRingEntry

_LOG = logging.getLogger("tidings")


class DefaultKeyRing:
    """A file in the user's data folder, created when the first value is sealed.

    Reading values never creates it: a new key could not open them.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        """Uses a path, by default in the user's data folder; raises ``KeyRingError``."""
        self.path = _default_path() if path is None else Path(path)
        self._ring: KeyRing | None = None
        self._state: tuple[int, int] | None = None

    def current(self) -> KeyRing | None:
        """The keys for opening values; ``None`` if the file does not exist."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise KeyRingError(
                f"cannot read the key ring '{self.path}': {error.strerror}"
            ) from None
        state = (status.st_size, status.st_mtime_ns)
        if self._ring is None or state != self._state:
            self._ring, self._state = KeyRing.read(self.path), state
        return self._ring

    def for_sealing(self) -> KeyRing:
        """The keys for sealing values; creates the file with a new key if it does not exist."""
        ring = self.current()
        if ring is not None:
            return ring
        ring = KeyRing([KeyRingEntry(EncryptionKey.generate())])
        if not self._make(ring):
            # Another process created it at the same time.
            return self.current() or KeyRing()
        _LOG.warning(
            "created the key ring '%s' for encrypted values: copy it to the same path on the "
            "user's other devices before they save any, and keep a backup; without it, nobody can "
            "read them",
            self.path,
        )
        return ring

    def _make(self, ring: KeyRing) -> bool:
        """Writes the file atomically; returns false if it exists by now."""
        other = self.path.with_name(f"{self.path.name}.{secrets.token_hex(8)}")
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            ring.create(other)
            try:
                os.link(other, self.path)
            finally:
                other.unlink()
            folder = os.open(self.path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except FileExistsError:
            return False
        except OSError as error:
            raise KeyRingError(
                f"cannot create the key ring '{self.path}': {error.strerror}; use another key ring "
                "file"
            ) from None
        return True


def _default_path() -> Path:
    """``$XDG_DATA_HOME/tidings/default.ring``, or in ``~/.local/share``."""
    data, home = os.environ.get("XDG_DATA_HOME", ""), os.environ.get("HOME", "")
    if data.startswith("/"):
        return Path(data, "tidings", "default.ring")
    if home.startswith("/"):
        return Path(home, ".local", "share", "tidings", "default.ring")
    raise KeyRingError("neither XDG_DATA_HOME nor HOME is set: pass the path of a key ring file")
