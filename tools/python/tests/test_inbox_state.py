"""The inbox state machine against a minimal server, with random events; the seed is printed."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field

import pytest
from nacl.secret import SecretBox

from tidings.inbox.progress import Progress
from tidings.inbox.recent_ids import RecentIDs
from tidings.inbox.state import Fetch, InboxState, Listen, Register, Wait
from tidings.v1.notification_pb2 import (
    NOTIFICATION_TYPE_READ_NOTIFICATION,
    Notification,
    Push,
    ReadMarks,
    SubscriptionPosition,
)
from tidings.v1.notification_service_pb2 import (
    Channel,
    FetchNotificationChangesResponse,
    RegisterDeviceResponse,
)

OWN_TAG = 7


@dataclass
class Model:
    """The server's state for a user: the log, the channels, and published pushes."""

    dice: random.Random
    log: list[Notification] = field(default_factory=list)
    owns: list[bool] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    topics: dict[str, bytes] = field(default_factory=dict)
    keys: dict[str, bytes] = field(default_factory=dict)
    marks: int = 0
    marked: list[str] = field(default_factory=list)
    wire: list[tuple[bytes, Push]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rotate()

    def rotate(self) -> None:
        """New topics and keys for all channels, and for the control topic."""
        for name in ["", *self.numbers]:
            old = self.topics.get(name)
            self.topics[name] = self.dice.randbytes(16)
            self.keys[name] = self.dice.randbytes(32)
            if not name and old is not None:
                self.wire.append((old, Push(channels_changed=True)))

    def add_channel(self) -> None:
        name = f"c{len(self.numbers)}"
        self.numbers[name] = 0
        self.topics[name] = self.dice.randbytes(16)
        self.keys[name] = self.dice.randbytes(32)
        self.wire.append((self.topics[""], Push(channels_changed=True)))

    def event(self) -> None:
        """Adds events to a channel: a push per event, or one push without content for several."""
        if not self.numbers:
            return
        name = self.dice.choice(sorted(self.numbers))
        previous = self.numbers[name]
        count = self.dice.choice([1, 1, 1, 3])
        is_own = self.dice.random() < 0.2
        for _ in range(count):
            self.numbers[name] += 1
            position = SubscriptionPosition(channel_id=name, sequence_number=self.numbers[name])
            self.log.append(
                Notification(
                    notification_id=f"{name}-{self.numbers[name]}",
                    subscription_id="s",
                    position=position,
                )
            )
            self.owns.append(is_own)
        push = Push(sequence_number=self.numbers[name], previous_sequence_number=previous)
        if is_own:
            push.origin_tag = OWN_TAG
        if count == 1 and self.dice.random() < 0.9:
            content = Notification()
            content.CopyFrom(self.log[-1])
            content.notification_id = content.subscription_id = ""
            content.is_pruned = self.dice.random() < 0.1
            box = SecretBox(self.keys[name])
            push.sealed_notification = bytes(box.encrypt(content.SerializeToString()))
        self.wire.append((self.topics[name], push))

    def mark_read(self) -> None:
        """Another device marks notifications as read, each once."""
        unread = [n.notification_id for n in self.log if n.notification_id not in self.marked]
        unread = [name for name in unread if name[0] == "c"]
        if not unread:
            return
        name = self.dice.choice(unread)
        self.marked.append(name)
        mark = Notification(notification_id=name, type=NOTIFICATION_TYPE_READ_NOTIFICATION)
        self.log.append(mark)
        self.owns.append(False)
        push = Push(sequence_number=self.marks + 1, previous_sequence_number=self.marks)
        self.marks += 1
        marks = ReadMarks(notification_ids=[name]).SerializeToString()
        push.sealed_read_marks = bytes(SecretBox(self.keys[""]).encrypt(marks))
        self.wire.append((self.topics[""], push))

    def beacons(self) -> None:
        for name, number in self.numbers.items():
            push = Push(sequence_number=number, previous_sequence_number=number)
            self.wire.append((self.topics[name], push))
        self.wire.append((self.topics[""], Push(sequence_number=self.marks)))

    def register(self) -> RegisterDeviceResponse:
        return RegisterDeviceResponse(
            control_topic=self.topics[""],
            control_key=self.keys[""],
            read_mark_number=self.marks,
            channels=[
                Channel(
                    position=SubscriptionPosition(channel_id=name, sequence_number=number),
                    topic=self.topics[name],
                    key=self.keys[name],
                    subscription_id="s",
                    origin_tag=OWN_TAG,
                )
                for name, number in self.numbers.items()
            ],
        )

    def fetch(self, token: bytes) -> FetchNotificationChangesResponse:
        start = int(token or b"0")
        end = min(len(self.log), start + self.dice.randrange(1, 6))
        page = FetchNotificationChangesResponse(
            change_token=str(end).encode(), more_coming=end < len(self.log)
        )
        page.notifications.extend(
            event
            for event, own in zip(self.log[start:end], self.owns[start:end], strict=True)
            if not own
        )
        return page

    @property
    def expected(self) -> list[str]:
        return [_key(n) for n, own in zip(self.log, self.owns, strict=True) if not own]


def _key(notification: Notification) -> str:
    is_mark = notification.type == NOTIFICATION_TYPE_READ_NOTIFICATION
    return ("read " if is_mark else "") + notification.notification_id


def run(seed: int) -> None:
    dice = random.Random(seed)
    model = Model(dice)
    state = InboxState(Progress())
    listening: frozenset[bytes] = frozenset()
    got: list[str] = []
    crash_at = Progress()

    def step() -> bool:
        """Performs the next action; returns whether there is more to do."""
        nonlocal listening, crash_at
        notification = state.pop_ready()
        if notification is not None:
            got.append(_key(notification))
            crash_at = state.progress
            return True
        match state.next_action:
            case Register():
                state.registered(model.register())
            case Listen(start, stop):
                listening = (listening | start) - stop
                state.listened()
            case Fetch():
                state.fetched(model.fetch(state.token))
                crash_at = state.progress
            case Wait():
                return False
        return True

    def deliver(*, loses: bool) -> None:
        wire, model.wire = model.wire, []
        for topic, push in wire:
            if topic in listening and not (loses and dice.random() < 0.3):
                state.pushed(topic, push)

    happenings = [model.event] * 12 + [model.mark_read] * 2 + [model.beacons, model.rotate]
    for _ in range(400):
        dice.choice(happenings)()
        if len(model.numbers) < 3 and dice.random() < 0.05:
            model.add_channel()
        deliver(loses=True)
        for _ in range(dice.randrange(6)):
            step()
        if dice.random() < 0.02:
            # A crash: the next state resumes at the progress of this one, and has no other input.
            state = InboxState(crash_at)
            listening = frozenset()
        elif dice.random() < 0.03:
            state.connection_replaced()
            listening = frozenset()
            state.reconnected()
    state.reconnected()
    while step():
        pass
    expected = model.expected
    # Nothing is missed or repeated.
    assert sorted(got) == sorted(expected)
    # Each channel in order.
    for name in model.numbers:
        of_channel = [key for key in got if key.startswith(name + "-")]
        assert of_channel == [key for key in expected if key.startswith(name + "-")]


@pytest.mark.parametrize("index", range(20))
def test_nothing_missed_nothing_twice_in_order(index: int) -> None:
    seed = int(os.environ.get("TIDINGS_INBOX_SEED", random.randrange(2**32)))
    print(f"TIDINGS_INBOX_SEED={seed}")
    run(seed)


def test_recent_ids_forget_the_oldest() -> None:
    ids = RecentIDs(2)
    assert ids.insert("a") and ids.insert("b") and not ids.insert("a")
    assert ids.insert("c")
    assert ids.insert("a") and not ids.insert("c")
