"""A key that seals values of fields and opens them: XChaCha20-Poly1305, libsodium's IETF form."""

from __future__ import annotations

import hashlib
import os
import struct
from dataclasses import dataclass, field

from nacl.bindings import (
    crypto_aead_xchacha20poly1305_ietf_decrypt,
    crypto_aead_xchacha20poly1305_ietf_encrypt,
)
from nacl.exceptions import CryptoError

KEY_BYTES = 32
NONCE_BYTES = 24
TAG_BYTES = 16


@dataclass(frozen=True)
class FieldLocation:
    """The field that a sealed value is bound to; it cannot be opened in another."""

    container: str
    environment: str
    """``development`` or ``production``."""
    zone_owner: str
    """The user in whose private database the zone is, for participants of a share too."""
    zone_name: str
    record_name: str
    field: str

    def to_bytes(self) -> bytes:
        """The associated data of a value: each part after its length, in big-endian order."""
        parts = (
            "tidings.v1.EncryptedValue",
            self.container,
            self.environment,
            self.zone_owner,
            self.zone_name,
            self.record_name,
            self.field,
        )
        data = b""
        for part in parts:
            # Names have at most 255 bytes; a longer one is invalid and opens nothing.
            encoded = part.encode()[:0xFFFF]
            data += struct.pack(">H", len(encoded)) + encoded
        return data


@dataclass(frozen=True)
class EncryptionKey:
    """A key; a sealed value is a nonce of 24 random bytes, then the encrypted value and a tag."""

    data: bytes = field(repr=False)
    """32 bytes."""

    def __post_init__(self) -> None:
        if len(self.data) != KEY_BYTES:
            raise ValueError(f"invalid key of {len(self.data)} bytes: expected {KEY_BYTES}")

    @classmethod
    def generate(cls) -> EncryptionKey:
        """A new key."""
        return cls(os.urandom(KEY_BYTES))

    @property
    def id(self) -> bytes:
        """Identifies the key, 8 bytes, without revealing it."""
        return hashlib.sha256(b"tidings-key-id-1" + self.data).digest()[:8]

    def seal(self, value: bytes, location: FieldLocation, *, nonce: bytes | None = None) -> bytes:
        """Seals an encoded value; only tests pass a nonce."""
        nonce = nonce or os.urandom(NONCE_BYTES)
        box: bytes = crypto_aead_xchacha20poly1305_ietf_encrypt(
            value, location.to_bytes(), nonce, self.data
        )
        return nonce + box

    def open(self, sealed: bytes, location: FieldLocation) -> bytes | None:
        """Opens a value; ``None`` if it was not sealed with this key for this location."""
        if len(sealed) < NONCE_BYTES + TAG_BYTES:
            return None
        nonce, box = sealed[:NONCE_BYTES], sealed[NONCE_BYTES:]
        try:
            value: bytes = crypto_aead_xchacha20poly1305_ietf_decrypt(
                box, location.to_bytes(), nonce, self.data
            )
        except CryptoError:
            return None
        return value
