"""The content of a push, decrypted and validated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from google.protobuf.message import DecodeError, Message
from nacl.exceptions import CryptoError
from nacl.secret import SecretBox

from tidings.v1.notification_pb2 import Notification, Push, ReadMarks
from tidings.v1.notification_service_pb2 import Channel

_Message = TypeVar("_Message", bound=Message)


@dataclass(frozen=True)
class WholeNotification:
    """A complete notification."""

    notification: Notification


@dataclass(frozen=True)
class MarkedRead:
    """Notifications that were marked read."""

    ids: tuple[str, ...]


@dataclass(frozen=True)
class Hint:
    """A number alone, or a pruned push: the log has the content."""


@dataclass(frozen=True)
class Unreadable:
    """Sealed with another key, or malformed."""


PushContent = WholeNotification | MarkedRead | Hint | Unreadable


def channel_content(push: Push, channel: Channel) -> PushContent:
    """Decodes a push of a channel."""
    match push.WhichOneof("content"):
        case None:
            return Hint()
        case "sealed_notification":
            notification = _opened(Notification, push.sealed_notification, channel.key)
        # If the channel has a key, only content that is sealed with it is authentic.
        case "notification" if not channel.key:
            notification = push.notification
        case _:
            return Unreadable()
    if notification is None:
        return Unreadable()
    position = notification.position
    is_of_channel = position.channel_id == channel.position.channel_id
    if not is_of_channel or position.sequence_number != push.sequence_number:
        return Unreadable()
    return Hint() if notification.is_pruned else WholeNotification(notification)


def control_content(push: Push, key: bytes) -> PushContent:
    """Decodes the read marks in a push on the control topic."""
    match push.WhichOneof("content"):
        case None:
            return Hint()
        case "sealed_read_marks":
            marks = _opened(ReadMarks, push.sealed_read_marks, key)
        case "read_marks" if not key:
            marks = push.read_marks
        case _:
            return Unreadable()
    if marks is None:
        return Unreadable()
    return MarkedRead(tuple(marks.notification_ids)) if marks.notification_ids else Hint()


def _opened(kind: type[_Message], sealed: bytes, key: bytes) -> _Message | None:
    if len(key) != SecretBox.KEY_SIZE:
        return None
    try:
        return kind.FromString(SecretBox(key).decrypt(sealed))
    except (CryptoError, DecodeError, ValueError):
        return None
