"""The keys of a user's encrypted values, and the file that they are kept in.

A line for each key, oldest first: ``seal`` or ``open``, the key's name, the key, both in
hexadecimal. Lines that begin with ``#`` and empty ones say nothing.
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
    """A key with its use: to seal while it is the newest of these, or to open only."""

    key: EncryptionKey
    use: Literal["seal", "open"] = "seal"

    @property
    def line(self) -> str:
        """The line of a key ring file."""
        return f"{self.use} {self.key.id.hex()} {self.key.data.hex()}\n"


class KeyRing:
    """The keys, oldest first, each once: one seals, all open."""

    def __init__(self, entries: Iterable[KeyRingEntry] = ()) -> None:
        """A ring; raises :class:`KeyRingError` for a key that comes twice, or too many."""
        self._entries: dict[bytes, KeyRingEntry] = {}
        for entry in entries:
            self._add(entry, "")

    @property
    def entries(self) -> list[KeyRingEntry]:
        """The keys, oldest first."""
        return list(self._entries.values())

    @property
    def sealing_key(self) -> EncryptionKey | None:
        """The key that seals: the newest that is there for it."""
        return next((e.key for e in reversed(self.entries) if e.use == "seal"), None)

    def key(self, key_id: bytes) -> EncryptionKey | None:
        """The key with a name, 8 bytes."""
        entry = self._entries.get(key_id)
        return None if entry is None else entry.key

    @classmethod
    def parse(cls, text: str) -> KeyRing:
        """Reads the text of a file; raises :class:`KeyRingError` with the line that is wrong."""
        ring = cls()
        for number, line in enumerate(text.splitlines(), start=1):
            words = line.split()
            if words and not line.startswith("#"):
                ring._add(_parse(words, number), f"line {number}: ")
        return ring

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> KeyRing:
        """Reads a file, which must be its owner's alone; raises :class:`KeyRingError`."""
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
                f"others can read the key ring '{path}': chmod 600 '{path}', and add a new key if "
                "they may have done so"
            )
        try:
            return cls.parse(data.decode(errors="replace"))
        except KeyRingError as error:
            raise KeyRingError(f"'{path}' is not a key ring: {error}") from None

    def create(self, path: str | os.PathLike[str]) -> None:
        """Writes a file that is not there; it is on the disk when this returns."""
        text = _TITLE + "".join(entry.line for entry in self.entries)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(text)
                file.flush()
                os.fsync(descriptor)
        except FileExistsError:
            raise KeyRingError(
                f"'{path}' is there already, and keys are not overwritten: name another file"
            ) from None
        except OSError as error:
            raise KeyRingError(f"cannot write the key ring '{path}': {error.strerror}") from None

    def _add(self, entry: KeyRingEntry, where: str) -> None:
        if entry.key.id in self._entries:
            raise KeyRingError(f"{where}the key appears twice: remove one of them")
        if len(self._entries) >= KEYS_MAX:
            raise KeyRingError(f"{where}there are more than {KEYS_MAX} keys: use several rings")
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
            f"line {number} is not 'seal KEY-ID KEY' or 'open KEY-ID KEY', with 16 and 64 "
            "hexadecimal digits: put back a copy"
        ) from None
    if key.id != name:
        raise KeyRingError(
            f"line {number}: the key does not match its name: restore a copy"
        )
    return KeyRingEntry(key, "seal" if use == "seal" else "open")
