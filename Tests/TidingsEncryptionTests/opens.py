"""Opens values as docs/encryption.md says, with PyNaCl alone.

Reads JSON lines: the key ring line, the parts of the place, the sealed bytes; prints the opened bytes of
each in hexadecimal, or `-` when it does not open.
"""
import hashlib
import json
import struct
import sys

from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt as decrypt
from nacl.exceptions import CryptoError


def context(*parts):
    data = b""
    for part in ("tidings.v1.EncryptedValue",) + parts:
        data += struct.pack(">H", len(part.encode())) + part.encode()
    return data


for line in sys.stdin:
    value = json.loads(line)
    _, key_id, key = value["ring"].split()
    key = bytes.fromhex(key)
    assert hashlib.sha256(b"tidings-key-id-1" + key).digest()[:8].hex() == key_id
    sealed = bytes.fromhex(value["sealed"])
    try:
        print(decrypt(sealed[24:], context(*value["place"]), sealed[:24], key).hex())
    except CryptoError:
        print("-")
