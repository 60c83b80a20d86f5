"""Decoding with a limit on the nesting depth of messages."""

from __future__ import annotations

import functools

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError

from tidings.rpc.limits import NESTING_MAX
from tidings.rpc.method import Response


def decode(kind: type[Response], data: bytes) -> Response:
    """Decodes a message.

    Raises :class:`google.protobuf.message.DecodeError` for malformed bytes, and for messages that
    are nested more than 64 levels deep.
    """
    descriptor: Descriptor = kind.DESCRIPTOR  # type: ignore[assignment]  # same interface
    if _may_nest_deeply(descriptor) and _is_deeper(NESTING_MAX, data, 0, len(data), descriptor):
        raise DecodeError(f"messages are nested more than {NESTING_MAX} levels deep")
    return kind.FromString(data)


@functools.cache
def _may_nest_deeply(root: Descriptor) -> bool:
    """Whether a type can contain itself; other types do not reach the limit."""
    seen: set[str] = set()

    def walk(descriptor: Descriptor, path: frozenset[str]) -> bool:
        if descriptor.full_name in path:
            return True
        if descriptor.full_name in seen:
            return False
        seen.add(descriptor.full_name)
        inner = path | {descriptor.full_name}
        return any(
            field.message_type is not None and walk(field.message_type, inner)
            for field in descriptor.fields
        )

    return walk(root, frozenset())


def _is_deeper(limit: int, data: bytes, start: int, end: int, descriptor: Descriptor) -> bool:
    """Whether messages are nested more than ``limit`` levels deep; stops at malformed bytes, which
    decoding rejects."""
    if limit == 0:
        return True
    at = start
    while at < end:
        tag, at = _varint(data, at, end)
        match tag & 7:
            case 0:
                _, at = _varint(data, at, end)
            case 1:
                at += 8
            case 5:
                at += 4
            case 2:
                length, at = _varint(data, at, end)
                if at + length > end:
                    return False
                field = descriptor.fields_by_number.get(tag >> 3)
                nested = field.message_type if field is not None else None
                if nested is not None and _is_deeper(limit - 1, data, at, at + length, nested):
                    return True
                at += length
            case _:
                return False
    return False


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while at < end and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    return 0, end
