"""The keys of a user's encrypted values, and the file that stores them.

One line per key, oldest first: ``seal`` or ``open``, the ID of the key, the key, both in
hexadecimal. Empty lines and lines that start with ``#`` are ignored.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tidings.encryption.errors import KeyRingError
from tidings.encryption.key import EncryptionKey

KEYS_MAX = 1_000
"""Most keys of a ring."""

FILE_BYTES_MAX = 256 << 10
"""Largest file, in bytes."""

_TITLE = """\
# Tidings key ring: keys of encrypted values.
# Whoever has this file can read them. Without it nobody can: keep a copy in a safe place.
"""


@dataclass(frozen=True)
class KeyRingEntry:
    """A key and its use: sealing (the newest such key is used), or opening only."""

    key: EncryptionKey
    use: Literal["seal", "open"] = "seal"

    @property
    def line(self) -> str:
        """The line in a key ring file."""
        return f"{self.use} {self.key.id.hex()} {self.key.data.hex()}\n"


class KeyRing:
    """Distinct keys, oldest first: one seals, all open."""

    def __init__(self, entries: Iterable[KeyRingEntry] = ()) -> None:
        """Raises :class:`KeyRingError` for duplicate keys, and for too many."""
        self._entries: dict[bytes, KeyRingEntry] = {}
        for entry in entries:
            self._add(entry, "")

    @property
    def entries(self) -> list[KeyRingEntry]:
        """The keys, oldest first."""
        return list(self._entries.values())

    @property
    def sealing_key(self) -> EncryptionKey | None:
        """The newest key for sealing."""
        return next((e.key for e in reversed(self.entries) if e.use == "seal"), None)

    def key(self, key_id: bytes) -> EncryptionKey | None:
        """The key with an ID of 8 bytes."""
        entry = self._entries.get(key_id)
        return None if entry is None else entry.key

    @classmethod
    def parse(cls, text: str) -> KeyRing:
        """Parses the text of a file; raises :class:`KeyRingError` with the line number."""
        ring = cls()
        for number, line in enumerate(text.splitlines(), start=1):
            words = line.split()
            if words and not line.startswith("#"):
                ring._add(_parse(words, number), f"line {number}: ")
        return ring

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> KeyRing:
        """Reads a file, which only its owner may have access to; raises :class:`KeyRingError`."""
        try:
            with Path(path).open("rb") as file:
                status = os.fstat(file.fileno())
                data = file.read(FILE_BYTES_MAX + 1)
        except OSError as error:
            raise KeyRingError(f"cannot read the key ring '{path}': {error.strerror}") from None
        if not stat.S_ISREG(status.st_mode) or len(data) > FILE_BYTES_MAX:
            raise KeyRingError(f"'{path}' is not a key ring")
        if status.st_mode & 0o077:
            raise KeyRingError(
                f"other users can read the key ring '{path}': chmod 600 '{path}', and add a new "
                "key if they may have read it"
            )
        try:
            return cls.parse(data.decode(errors="replace"))
        except KeyRingError as error:
            raise KeyRingError(f"'{path}' is not a key ring: {error}") from None

    def create(self, path: str | os.PathLike[str]) -> None:
        """Creates the file; it is durable when this returns. Fails if it exists."""
        text = _TITLE + "".join(entry.line for entry in self.entries)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(text)
                file.flush()
                os.fsync(descriptor)
        except FileExistsError:
            raise KeyRingError(
                f"'{path}' exists, and keys are not overwritten: use another file"
            ) from None
        except OSError as error:
            raise KeyRingError(f"cannot write the key ring '{path}': {error.strerror}") from None

    def _add(self, entry: KeyRingEntry, where: str) -> None:
        if entry.key.id in self._entries:
            raise KeyRingError(f"{where}the key appears twice: remove one of them")
        if len(self._entries) >= KEYS_MAX:
            raise KeyRingError(f"{where}more than {KEYS_MAX} keys: use several rings")
        self._entries[entry.key.id] = entry


def _parse(words: list[str], number: int) -> KeyRingEntry:
    try:
        use, key_id, data = words
        if use not in ("seal", "open"):
            raise ValueError(use)
        key = EncryptionKey(bytes.fromhex(data))
        name = bytes.fromhex(key_id)
    except ValueError:
        raise KeyRingError(
            f"line {number}: expected 'seal KEY-ID KEY' or 'open KEY-ID KEY', with 16 and 64 "
            "hexadecimal digits: restore a copy"
        ) from None
    if key.id != name:
        raise KeyRingError(f"line {number}: the key does not match its ID: restore a copy")
    return KeyRingEntry(key, "seal" if use == "seal" else "open")
