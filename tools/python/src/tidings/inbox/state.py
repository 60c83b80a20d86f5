"""Decides what a notification stream does: events go in, actions come out.

A value without clock, lock or socket. Pushes are hints. The notification of a push is delivered if
it directly follows the last one of its channel; in all other cases (a gap, a beacon, a push that
was pruned or cannot be opened, a new connection) the log is read. No number is delivered twice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from tidings.inbox.progress import PageEnd, Progress
from tidings.inbox.push_content import (
    MarkedRead,
    Unreadable,
    WholeNotification,
    channel_content,
    control_content,
)
from tidings.inbox.recent_ids import RecentIDs
from tidings.v1.database_pb2 import DatabaseID
from tidings.v1.notification_pb2 import NOTIFICATION_TYPE_READ_NOTIFICATION, Notification, Push
from tidings.v1.notification_service_pb2 import (
    Channel,
    FetchNotificationChangesResponse,
    RegisterDeviceResponse,
)

PUSHED_MARKS_MAX = 10_000
"""Most read marks that are taken from pushes before the log is read again."""


@dataclass(frozen=True)
class Register:
    """Request the channels from the server."""


@dataclass(frozen=True)
class Listen:
    """Subscribe to topics, and unsubscribe from others."""

    start: frozenset[bytes]
    stop: frozenset[bytes]


@dataclass(frozen=True)
class Fetch:
    """Fetch the log after the token."""


@dataclass(frozen=True)
class Wait:
    """Wait for the next event."""


Action = Register | Listen | Fetch | Wait


@dataclass
class _Control:
    """The state of the user's control topic."""

    topic: bytes = b""
    key: bytes = b""
    origin_tag: int = 0
    seen: int = 0
    """The newest read mark that was delivered or skipped."""
    announced: int = 0
    """The newest read mark that was announced and must be read from the log."""
    ids: RecentIDs = field(default_factory=lambda: RecentIDs(2 * PUSHED_MARKS_MAX))
    """Read marks that were delivered; they arrive in pushes and in the log."""
    pushed_count: int = 0
    """How many arrived in pushes since the last read of the log."""


class InboxState:
    """The state of a stream, which determines its next action."""

    def __init__(self, progress: Progress, container: DatabaseID | None = None) -> None:
        """Resumes at the position of another stream.

        ``container`` is the database of a READ_NOTIFICATION that arrives by push.
        """
        self.progress = progress
        """Where another stream can resume without missing or repeating notifications."""
        self.token = progress.token
        """The token of the next fetch."""
        self._container = container
        # Notifications to deliver, and the ends of their pages. Oldest first.
        self._ready: deque[Notification | PageEnd] = deque()
        self._channels: dict[bytes, Channel] = {}
        # All channels ever seen: a page may contain events of a channel that was deleted.
        self._channel_ids: set[str] = set()
        self._topics: frozenset[bytes] = frozenset()
        self._listening: frozenset[bytes] = frozenset()
        # The newest number of each channel that was delivered or skipped.
        self._seen: dict[str, int] = dict(progress.numbers)
        # Numbers that were announced and must be read from the log.
        self._announced: dict[str, int] = {}
        self._control = _Control()
        # Topics whose pushes cannot be opened with the current keys; requesting the same keys again
        # would not help.
        self._unreadable: set[bytes] = set()
        self._must_register = True
        self._must_fetch = False
        for mark in progress.read_marks:
            self._control.ids.insert(mark)

    # Output.

    def pop_ready(self) -> Notification | None:
        """The next notification to deliver."""
        if not self._ready or not isinstance(self._ready[0], Notification):
            return None
        notification = self._ready.popleft()
        assert isinstance(notification, Notification)
        self.progress = self.progress.handed_out(notification)
        self._pass_page_ends()
        if self.progress.is_full:
            self._must_fetch = True
        return notification

    @property
    def next_action(self) -> Action:
        """The next action, if there is nothing to deliver."""
        if self._must_register:
            return Register()
        if self._listening != self._topics:
            return Listen(self._topics - self._listening, self._listening - self._topics)
        return Fetch() if self._must_fetch else Wait()

    # Input.

    def registered(self, response: RegisterDeviceResponse) -> None:
        """The server sent the channels."""
        self._must_register = False
        old_keys = self._keys
        self._control.topic = response.control_topic
        self._control.key = response.control_key
        self._control.origin_tag = response.control_origin_tag
        self._control.announced = max(self._control.announced, response.read_mark_number)
        self._channels = {channel.topic: channel for channel in reversed(response.channels)}
        self._channel_ids.update(channel.position.channel_id for channel in response.channels)
        self._topics = frozenset(self._channels) | {response.control_topic}
        new_keys = self._keys
        self._unreadable = {
            topic
            for topic in self._unreadable
            if topic in new_keys and new_keys[topic] == old_keys.get(topic)
        }
        for channel in response.channels:
            self._announce(channel.position.channel_id, channel.position.sequence_number)
        # The log contains what happened before the topics were subscribed to.
        self._must_fetch = True

    def listened(self) -> None:
        """The topics are subscribed to."""
        self._listening = self._topics

    def fetched(self, page: FetchNotificationChangesResponse) -> None:
        """A page of the log arrived."""
        self.token = page.change_token
        self._must_fetch = page.more_coming
        wanted = [one for one in page.notifications if self._is_new(one)]
        self._ready.extend(wanted)
        marks = {one.notification_id for one in wanted if _is_read_mark(one)}
        channels = {one.position.channel_id for one in wanted if not _is_read_mark(one)}
        is_last = not page.more_coming
        self._ready.append(
            PageEnd(page.change_token, is_last, frozenset(channels), frozenset(marks))
        )
        self._pass_page_ends()
        if not is_last:
            return
        # Events are in the log before they are announced: one that was announced before this fetch
        # and is not in its pages is not for this device. Later pushes may directly follow it.
        for channel_id, number in self._announced.items():
            self._seen[channel_id] = max(self._seen.get(channel_id, 0), number)
        self._announced = {}
        self._control.seen = max(self._control.seen, self._control.announced)
        self._control.pushed_count = 0

    def connection_replaced(self) -> None:
        """There is a new connection, without subscriptions."""
        self._listening = frozenset()

    def may_have_missed(self) -> None:
        """A push cannot be decoded: the log must be read."""
        self._must_fetch = True

    def reconnected(self) -> None:
        """Connected, lost pushes, or time passed: the channels are requested again as well."""
        self._must_register = True
        self._must_fetch = True
        self._unreadable = set()

    def pushed(self, topic: bytes, push: Push) -> None:
        """A push arrived."""
        if topic == self._control.topic:
            self._pushed_control(push)
            return
        channel = self._channels.get(topic)
        if channel is None:
            return
        channel_id = channel.position.channel_id
        last = self._seen.get(channel_id, 0)
        number = push.sequence_number
        if number <= last:
            return
        follows = push.previous_sequence_number == last and number == last + 1
        if self._must_fetch or not follows:
            self._look_up(channel_id, number)
            return
        if _is_own(push, channel.origin_tag):
            self._seen[channel_id] = number
            return
        match channel_content(push, channel):
            case WholeNotification(notification):
                self._hand_out(notification, channel)
            case Unreadable():
                self._mark_unreadable(topic)
                self._look_up(channel_id, number)
            case _:
                self._look_up(channel_id, number)

    def _pushed_control(self, push: Push) -> None:
        control = self._control
        content = push.WhichOneof("content")
        if content == "channels_changed":
            self._must_register = True
            return
        if content == "work_released":
            return
        if push.sequence_number <= control.seen:
            # Content of a newer version of the protocol.
            if push.sequence_number == 0:
                self._must_register = True
            return
        control.announced = max(control.announced, push.sequence_number)
        follows = push.previous_sequence_number == control.seen
        if self._must_fetch or not follows or control.pushed_count >= PUSHED_MARKS_MAX:
            self._must_fetch = True
            return
        if _is_own(push, control.origin_tag):
            control.seen = push.sequence_number
            return
        match control_content(push, control.key):
            case MarkedRead(ids):
                control.seen = push.sequence_number
                self._hand_out_marks(ids)
            case Unreadable():
                self._mark_unreadable(control.topic)
                self._must_fetch = True
            case _:
                self._must_fetch = True

    # Implementation.

    def _is_new(self, notification: Notification) -> bool:
        """Whether a notification of a page is new; marks it as seen."""
        if _is_read_mark(notification):
            return self._control.ids.insert(notification.notification_id)
        if not notification.HasField("position"):
            return False
        position = notification.position
        if position.channel_id not in self._channel_ids:
            # It belongs to a subscription whose announcement was lost.
            self._channel_ids.add(position.channel_id)
            self._must_register = True
        if position.sequence_number <= self._seen.get(position.channel_id, 0):
            return False
        self._seen[position.channel_id] = position.sequence_number
        return True

    def _pass_page_ends(self) -> None:
        """Removes the ends of pages that are completely delivered."""
        while self._ready and isinstance(end := self._ready[0], PageEnd):
            self.progress = self.progress.ended(end)
            self._ready.popleft()

    def _hand_out(self, pushed: Notification, channel: Channel) -> None:
        notification = Notification()
        notification.CopyFrom(pushed)
        position = notification.position
        notification.notification_id = f"{position.channel_id}-{position.sequence_number}"
        notification.subscription_id = channel.subscription_id
        self._seen[position.channel_id] = position.sequence_number
        self._ready.append(notification)

    def _hand_out_marks(self, ids: Iterable[str]) -> None:
        for name in ids:
            self._control.pushed_count += 1
            if self._control.ids.insert(name):
                self._ready.append(
                    Notification(
                        notification_id=name,
                        type=NOTIFICATION_TYPE_READ_NOTIFICATION,
                        database_id=self._container,
                    )
                )

    def _look_up(self, channel_id: str, number: int) -> None:
        """Requests the content of a number from the log."""
        self._announce(channel_id, number)
        self._must_fetch = True

    def _announce(self, channel_id: str, number: int) -> None:
        self._announced[channel_id] = max(self._announced.get(channel_id, 0), number)

    def _mark_unreadable(self, topic: bytes) -> None:
        """A push on the topic cannot be opened: it may have a new key.

        Registers again once, not for each push.
        """
        if topic not in self._unreadable:
            self._unreadable.add(topic)
            self._must_register = True

    @property
    def _keys(self) -> dict[bytes, bytes]:
        """The keys of all topics."""
        keys = {topic: channel.key for topic, channel in self._channels.items()}
        keys[self._control.topic] = self._control.key
        return keys


def _is_read_mark(notification: Notification) -> bool:
    return notification.type == NOTIFICATION_TYPE_READ_NOTIFICATION


def _is_own(push: Push, origin_tag: int) -> bool:
    """Whether a push with content is about this device's own change."""
    is_own = origin_tag != 0 and push.origin_tag == origin_tag
    return is_own and push.WhichOneof("content") is not None
