"""A place in a user's notifications, as bytes that survive a restart.

The bytes are those of the Swift client's ``InboxPosition``: either client goes on where the other
stood. ``TdgInbox``, the version 1, then the user, the container, the environment, the token, the
numbers by channel and the read marks, then 16 bytes of the SHA-256 of all that. Numbers have seven
bits to a byte, the lowest first; texts and bytes stand after their length, lists after their count.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from tidings.inbox.errors import PositionDamaged, PositionOfAnother
from tidings.inbox.progress import Progress

_MAGIC = b"TdgInbox"
_VERSION = 1
_CHECKSUM_BYTES = 16
_PRODUCTION = 2


@dataclass(frozen=True)
class PositionOwner:
    """Whose notifications these are: a position is good for nobody else."""

    user: str
    container: str = "default"
    environment: int = 1
    """``tidings.v1.Environment``, by number."""

    def __str__(self) -> str:
        name = "production" if self.environment == _PRODUCTION else "development"
        return f"user '{self.user}' in container '{self.container}', environment '{name}'"


@dataclass(frozen=True)
class InboxPosition:
    """What comes after it was not handed out, what comes before it was.

    Store :meth:`to_bytes` with the work that the notifications caused: usually a few hundred bytes;
    they grow with the number of channels, about 10 bytes for each.
    """

    owner: PositionOwner
    progress: Progress

    def to_bytes(self) -> bytes:
        """The bytes to be stored."""
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
        """Reads bytes that were stored; raises ``PositionDamaged`` for what is no position."""
        if not data.startswith(_MAGIC) or len(data) <= len(_MAGIC) + _CHECKSUM_BYTES:
            raise PositionDamaged(f"these {len(data)} bytes are not the position of an inbox")
        version = data[len(_MAGIC)]
        if version != _VERSION:
            raise PositionDamaged(
                f"the position has version {version}; this client knows {_VERSION}: use the "
                "version of the client that wrote it, or a newer one"
            )
        body, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
        if hashlib.sha256(body).digest()[:_CHECKSUM_BYTES] != checksum:
            raise PositionDamaged("the position is damaged: its checksum is wrong")
        try:
            return _Reader(body, len(_MAGIC) + 1).position()
        except (IndexError, UnicodeDecodeError):
            raise PositionDamaged("the position is damaged: it ends early") from None

    def check(self, expected: PositionOwner, source: str) -> None:
        """Refuses a position of somebody else's notifications: raises ``PositionOfAnother``."""
        if self.owner != expected:
            raise PositionOfAnother(
                f"{source} is of {self.owner}, and the client is of {expected}: use another "
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
    """Reads what the writers write; raises ``IndexError`` when it ends early."""

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
