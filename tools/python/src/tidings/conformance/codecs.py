"""Tasks of the conformance protocol that do not require a server."""

from __future__ import annotations

import importlib
import json
import pkgutil

from google.protobuf import descriptor_pool, json_format, message_factory
from google.protobuf.message import DecodeError, Message

import tidings.rpc.v1
import tidings.v1
from tidings.conformance.v1.conformance_pb2 import ENCODING_JSON, OpenPush, OpenValue, RoundTrip
from tidings.encryption.errors import EncryptionError, KeyRingError
from tidings.encryption.key_ring import KeyRing
from tidings.encryption.sealer import FieldSealer
from tidings.identifiers import RecordID
from tidings.inbox.push_content import (
    Hint,
    MarkedRead,
    WholeNotification,
    channel_content,
    control_content,
)
from tidings.rpc.nesting import decode
from tidings.v1.database_pb2 import DatabaseID
from tidings.v1.database_pb2 import RecordID as RecordIDMessage
from tidings.v1.notification_pb2 import Push, ReadMarks, SubscriptionPosition
from tidings.v1.notification_service_pb2 import Channel
from tidings.v1.record_pb2 import EncryptedValue
from tidings.values import Encrypted


class Refused(Exception):
    """The input is rejected, as it must be for malformed messages."""


class Unsupported(Exception):
    """The client cannot do this."""


def round_trip(task: RoundTrip) -> bytes:
    """Decodes a message and encodes it again."""
    kind = _message_class(task.message_type)
    try:
        if getattr(task, "from") == ENCODING_JSON:
            message = json_format.Parse(_json(task.payload), kind())
        else:
            message = decode(kind, task.payload)
        if task.to == ENCODING_JSON:
            return json_format.MessageToJson(message, indent=None).encode()
        return message.SerializeToString(deterministic=True)
    except (DecodeError, json_format.Error, ValueError, RecursionError) as error:
        raise Refused(str(error)) from error


def open_push(task: OpenPush) -> bytes:
    """Opens a push; returns no bytes if it is only a hint."""
    try:
        push = decode(Push, task.push)
    except DecodeError as error:
        raise Refused(str(error)) from error
    if task.channel_id:
        position = SubscriptionPosition(channel_id=task.channel_id)
        content = channel_content(push, Channel(position=position, key=task.key))
    else:
        content = control_content(push, task.key)
    match content:
        case WholeNotification(notification):
            return notification.SerializeToString()
        case MarkedRead(ids):
            return ReadMarks(notification_ids=ids).SerializeToString()
        case Hint():
            return b""
        case _:
            raise Refused("sealed with another key, or malformed")


def open_value(task: OpenValue) -> bytes:
    """Opens an encrypted value."""
    try:
        ring = KeyRing.parse(task.key_ring.decode())
        sealer = FieldSealer(ring, decode(DatabaseID, task.database_id), task.user)
        value = decode(EncryptedValue, task.value)
        record_id = RecordID.from_wire(decode(RecordIDMessage, task.record_id))
        sealed = Encrypted(int(value.type), value.key_id, value.sealed)
        return sealer.open_message(sealed, task.field, record_id).SerializeToString()
    except (DecodeError, KeyRingError, EncryptionError, UnicodeDecodeError) as error:
        raise Refused(str(error)) from error


def _json(data: bytes) -> str:
    """The text of a message: an object, or a string for some of the well-known types."""
    text = data.decode()
    if isinstance(json.loads(text), list):
        raise Refused("the JSON is not an object")
    return text


def _message_class(name: str) -> type[Message]:
    for package in (tidings.v1, tidings.rpc.v1):
        for module in pkgutil.iter_modules(package.__path__):
            if module.name.endswith("_pb2"):
                importlib.import_module(f"{package.__name__}.{module.name}")
    try:
        descriptor = descriptor_pool.Default().FindMessageTypeByName(name)
    except KeyError:
        raise Unsupported(f"the message type {name}") from None
    return message_factory.GetMessageClass(descriptor)
