"""The key ring of a user who names none."""

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
    """A file in the user's data folder, which is made when a value is sealed first.

    Reading values never makes one: a new key would open nothing.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        """The ring at a path, by default in the user's data folder; raises ``KeyRingError``."""
        self.path = _default_path() if path is None else Path(path)
        self._ring: KeyRing | None = None
        self._state: tuple[int, int] | None = None

    def current(self) -> KeyRing | None:
        """The keys, to open values with; ``None`` when the file is not there."""
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
        """The keys, to seal values with; when the file is not there it is made, with a new key."""
        ring = self.current()
        if ring is not None:
            return ring
        ring = KeyRing([KeyRingEntry(EncryptionKey.generate())])
        if not self._make(ring):
            # Another process made it at the same time.
            return self.current() or KeyRing()
        _LOG.warning(
            "made the key ring '%s' for encrypted values: copy it to the same place on the user's "
            "other devices before they save any, and keep a backup; without it nobody can read "
            "them",
            self.path,
        )
        return ring

    def _make(self, ring: KeyRing) -> bool:
        """Writes the file whole, or not at all; false: it is there by now."""
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
                f"the key ring '{self.path}' cannot be made: {error.strerror}; name a key ring "
                "file of your own"
            ) from None
        return True


def _default_path() -> Path:
    """``$XDG_DATA_HOME/tidings/default.ring``, or in ``~/.local/share``."""
    data, home = os.environ.get("XDG_DATA_HOME", ""), os.environ.get("HOME", "")
    if data.startswith("/"):
        return Path(data, "tidings", "default.ring")
    if home.startswith("/"):
        return Path(home, ".local", "share", "tidings", "default.ring")
    raise KeyRingError("neither XDG_DATA_HOME nor HOME is set: name a key ring file of your own")
