"""CURVE keys and key files."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from nacl.bindings import crypto_scalarmult_base
from zmq.utils import z85

from tidings.rpc.errors import TidingsError

KEY_FILE_BYTES_MAX = 4096
"""Largest key file, in bytes."""


class KeyFileError(TidingsError):
    """A key file cannot be used; the message contains the reason and what to do, but no key."""


@dataclass(frozen=True)
class KeyPair:
    """A CURVE key pair, Curve25519, both parts in Z85 (40 characters)."""

    public_key: str
    secret_key: str = field(repr=False)

    @classmethod
    def from_secret(cls, secret_key: str) -> KeyPair:
        """Derives the pair of a secret key in Z85; raises :class:`ValueError` if it is invalid."""
        public = crypto_scalarmult_base(_decode(secret_key))
        return cls(z85.encode(public).decode(), secret_key)

    @classmethod
    def generate(cls) -> KeyPair:
        """Generates a pair."""
        return cls.from_secret(z85.encode(os.urandom(32)).decode())

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> KeyPair:
        """Reads a key file of ``rpcctl keys generate``.

        Raises :class:`KeyFileError` if it cannot be read, is not a key file, has no secret key, has
        keys that do not match, or is readable by other users.
        """
        text, is_open_to_others = _read(Path(path))
        keys = _parse(text, path)
        if "secret-key" not in keys:
            raise KeyFileError(
                f"the key file '{path}' has no secret key: use the file that has both keys"
            )
        if is_open_to_others:
            raise KeyFileError(
                f"other users can read the key file '{path}': chmod 600 '{path}', and replace the "
                "key if they may have read it"
            )
        pair = cls.from_secret(keys["secret-key"])
        if keys.get("public-key", pair.public_key) != pair.public_key:
            raise KeyFileError(f"the two keys in '{path}' are not a pair")
        return pair


@dataclass(frozen=True)
class ClientKeys:
    """The keys for connecting with CURVE."""

    pair: KeyPair
    """The key pair of the client."""
    server_key: str
    """The public key of the server, in Z85."""

    def __post_init__(self) -> None:
        _decode(self.server_key)


def read_public_key(path: str | os.PathLike[str]) -> str:
    """Reads the public key in a key file; raises :class:`KeyFileError`."""
    text, _ = _read(Path(path))
    keys = _parse(text, path)
    if "secret-key" in keys:
        return KeyPair.from_secret(keys["secret-key"]).public_key
    if "public-key" not in keys:
        raise KeyFileError(f"'{path}' is not a key file: it has no line 'public-key KEY'")
    return keys["public-key"]


def is_key(text: str) -> bool:
    """Whether a text is a key in Z85."""
    try:
        _decode(text)
    except ValueError:
        return False
    return True


def _decode(text: str) -> bytes:
    data = b""
    if len(text) == 40 and text.isascii():
        try:
            data = z85.decode(text.encode())
        except (KeyError, ValueError, OverflowError):
            data = b""
    if len(data) != 32 or z85.encode(data).decode() != text:
        raise ValueError("invalid key: expected 40 characters of Z85")
    return data


def _read(path: Path) -> tuple[str, bool]:
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            data = file.read(KEY_FILE_BYTES_MAX + 1)
    except OSError as error:
        raise KeyFileError(f"cannot read the key file '{path}': {error.strerror}") from None
    if not stat.S_ISREG(status.st_mode) or len(data) > KEY_FILE_BYTES_MAX:
        raise KeyFileError(f"'{path}' is not a key file")
    return data.decode(errors="replace"), bool(status.st_mode & 0o077)


def _parse(text: str, path: str | os.PathLike[str]) -> dict[str, str]:
    keys: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        is_valid = len(words) == 2 and words[0] in ("public-key", "secret-key")
        # The line may contain a secret, so the message does not show it.
        if not is_valid or words[0] in keys or not is_key(words[1]):
            raise KeyFileError(
                f"'{path}' is not a key file: line {number} is neither 'public-key KEY' nor "
                "'secret-key KEY', each at most once, with a key of 40 characters"
            )
        keys[words[0]] = words[1]
    return keys
