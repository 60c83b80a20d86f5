"""A position in a user's notifications, encoded so that it can be stored.

The encoding is that of the Swift client's ``InboxPosition``: either client resumes at a position of
the other. ``TdgInbox``, the version 1, then the user, the container, the environment, the token,
the numbers by channel and the read marks, then 16 bytes of the SHA-256 of all that. Numbers are
varints; strings and bytes are preceded by their length, lists by their count.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from tidings.inbox.errors import PositionDamaged, PositionOwnerMismatch
from tidings.inbox.progress import Progress

_MAGIC = b"TdgInbox"
_VERSION = 1
_CHECKSUM_BYTES = 16
_PRODUCTION = 2


@dataclass(frozen=True)
class PositionOwner:
    """The owner of the notifications; a position is valid for no other."""

    user: str
    container: str = "default"
    environment: int = 1
    """``tidings.v1.Environment``, by number."""

    def __str__(self) -> str:
        name = "production" if self.environment == _PRODUCTION else "development"
        return f"user '{self.user}' in container '{self.container}', environment '{name}'"


@dataclass(frozen=True)
class InboxPosition:
    """Separates notifications that were delivered from those that were not.

    Store :meth:`to_bytes` in the transaction of the work that the notifications caused: usually a
    few hundred bytes, about 10 bytes per channel.
    """

    owner: PositionOwner
    progress: Progress

    def to_bytes(self) -> bytes:
        """Encodes the position."""
        data = bytearray(_MAGIC)
        data.append(_VERSION)
        _write_bytes(data, self.owner.user.encode())
        _write_bytes(data, self.owner.container.encode())
        _write_number(data, self.owner.environment)
        _write_bytes(data, self.progress.token)
        _write_number(data, len(self.progress.numbers))
        for channel, number in sorted(self.progress.numbers.items()):
            _write_bytes(data, channel.encode())
            _write_number(data, number)
        _write_number(data, len(self.progress.read_marks))
        for mark in sorted(self.progress.read_marks):
            _write_bytes(data, mark.encode())
        return bytes(data) + hashlib.sha256(data).digest()[:_CHECKSUM_BYTES]

    @classmethod
    def from_bytes(cls, data: bytes) -> InboxPosition:
        """Decodes a position; raises ``PositionDamaged`` if the bytes are not a position."""
        if not data.startswith(_MAGIC) or len(data) <= len(_MAGIC) + _CHECKSUM_BYTES:
            raise PositionDamaged(f"these {len(data)} bytes are not the position of an inbox")
        version = data[len(_MAGIC)]
        if version != _VERSION:
            raise PositionDamaged(
                f"unsupported version {version} of the position, expected {_VERSION}: use the "
                "version of the client that wrote it, or a newer one"
            )
        body, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
        if hashlib.sha256(body).digest()[:_CHECKSUM_BYTES] != checksum:
            raise PositionDamaged("the position is damaged: wrong checksum")
        try:
            return _Reader(body, len(_MAGIC) + 1).position()
        except (IndexError, UnicodeDecodeError):
            raise PositionDamaged("the position is damaged: unexpected end") from None

    def check(self, expected: PositionOwner, source: str) -> None:
        """Raises ``PositionOwnerMismatch`` if the position has another owner."""
        if self.owner != expected:
            raise PositionOwnerMismatch(
                f"{source} belongs to {self.owner}, and the client is {expected}: use another "
                "position for each"
            )


def _write_number(data: bytearray, number: int) -> None:
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    data.append(number)


def _write_bytes(data: bytearray, content: bytes) -> None:
    _write_number(data, len(content))
    data += content


class _Reader:
    """Decodes what the writers encode; raises ``IndexError`` at an unexpected end."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self._at = at

    def position(self) -> InboxPosition:
        owner = PositionOwner(self._text(), self._text(), self._number())
        token = self._bytes()
        numbers = {self._text(): self._number() for _ in range(self._number())}
        marks = frozenset(self._text() for _ in range(self._number()))
        return InboxPosition(owner, Progress(token, numbers, marks))

    def _number(self) -> int:
        value = shift = 0
        while True:
            byte = self._data[self._at]
            self._at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def _bytes(self) -> bytes:
        count = self._number()
        content = self._data[self._at : self._at + count]
        if len(content) < count:
            raise IndexError(self._at)
        self._at += count
        return content

    def _text(self) -> str:
        return self._bytes().decode()
