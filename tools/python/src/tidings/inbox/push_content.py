"""What a push says, once it is opened and found to be what it claims."""

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
    """A notification, whole."""

    notification: Notification


@dataclass(frozen=True)
class MarkedRead:
    """These notifications were marked read."""

    ids: tuple[str, ...]


@dataclass(frozen=True)
class Hint:
    """Only the log knows: a number alone, or a push that was pruned."""


@dataclass(frozen=True)
class Unreadable:
    """It was made with another key, or is not what it should be."""


PushContent = WholeNotification | MarkedRead | Hint | Unreadable


def channel_content(push: Push, channel: Channel) -> PushContent:
    """Reads the push of a channel."""
    match push.WhichOneof("content"):
        case None:
            return Hint()
        case "sealed_notification":
            notification = _opened(Notification, push.sealed_notification, channel.key)
        # Whoever has a key believes only what was sealed with it.
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
    """Reads what a push on the control topic says of read marks."""
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
