"""A connection to a server's push endpoint: receives what is published on chosen topics.

Pushes are hints: those sent while there is no connection, or faster than they are read, are lost.
Events report when that may have happened.
"""

from __future__ import annotations

import asyncio
import math
import sys
from collections import deque
from dataclasses import dataclass

import zmq

from tidings.rpc import limits
from tidings.rpc.context import Context
from tidings.rpc.errors import InvalidArgument
from tidings.rpc.failure import ConnectionFailure
from tidings.rpc.keys import ClientKeys
from tidings.rpc.link import Link
from tidings.rpc.monitor import LinkEvent
from tidings.rpc.ring import EndpointRing, check_endpoints
from tidings.rpc.weak import WeakCallback, run_on


@dataclass(frozen=True)
class Published:
    """A message was published."""

    topic: bytes
    body: bytes


@dataclass(frozen=True)
class Connected:
    """Connected, for the first time or again; messages may have been missed."""


@dataclass(frozen=True)
class Disconnected:
    """The connection was lost; the subscriber reconnects."""


@dataclass(frozen=True)
class Lost:
    """Events were not read in time and are lost."""


@dataclass(frozen=True)
class Tick:
    """The tick interval has passed, for periodic reconciliation."""


SubscriberEvent = Published | Connected | Disconnected | Lost | Tick


class Subscriber:
    """A SUB socket on the running loop."""

    def __init__(
        self,
        endpoint: str,
        keys: ClientKeys | None,
        context: Context,
        tick: float | None = None,
        *,
        is_one_of_several: bool = False,
    ) -> None:
        """Starts connecting; ``tick`` is the interval of :class:`Tick`, in seconds.

        ``is_one_of_several``: there is another to listen to, so a silent server is gone after 3 s.

        Raises :class:`~tidings.rpc.errors.InvalidArgument` for a malformed endpoint. A subscriber
        that is dropped closes.
        """
        self.is_closed = False
        check_endpoints((endpoint,))
        self._is_one_of_several = is_one_of_several
        self._keys = keys
        self._context = context
        self._tick = tick
        self._loop = asyncio.get_running_loop()
        self._topics: set[bytes] = set()
        self._events: deque[SubscriberEvent] = deque()
        self._reader: asyncio.Future[None] | None = None
        # Nobody waits for the connection: each route gets its full time.
        self._ring = EndpointRing(
            (endpoint,), math.inf, self._loop.time(), has_keys=keys is not None
        )
        self._renewal_timer: asyncio.TimerHandle | None = None
        self._is_connected = False
        self._ready = WeakCallback(self._turn)
        self._renewal_ready = WeakCallback(self._renew)
        self._tick_ready = WeakCallback(self._on_tick)
        self._tick_timer: asyncio.TimerHandle | None = None
        self._link = self._make_link()
        self._set_renewal_timer()
        if tick:
            self._tick_timer = self._loop.call_later(tick, self._tick_ready)

    async def next(self) -> SubscriberEvent | None:
        """Waits for the next event; ``None`` after :meth:`close`. One reader at a time."""
        while not self._events:
            if self.is_closed:
                return None
            self._reader = self._loop.create_future()
            self._ready.keeps = self
            try:
                await self._reader
            finally:
                self._reader = None
                self._ready.keeps = None
        return self._events.popleft()

    def subscribe(self, topic: bytes) -> None:
        """Subscribes to a topic, with effect shortly after, also across reconnections."""
        if topic not in self._topics:
            self._topics.add(topic)
            self._link.socket.setsockopt(zmq.SUBSCRIBE, topic)

    def unsubscribe(self, topic: bytes) -> None:
        """Unsubscribes from a topic."""
        if topic in self._topics:
            self._topics.remove(topic)
            self._link.socket.setsockopt(zmq.UNSUBSCRIBE, topic)

    def tick(self) -> None:
        """Delivers a :class:`Tick` now, for a reader that must reconcile."""
        if not self.is_closed:
            self._deliver(Tick())

    def close(self) -> None:
        """Ends the events, and closes the socket."""
        if self.is_closed:
            return
        self.is_closed = True
        for timer in (self._tick_timer, self._renewal_timer):
            if timer is not None:
                timer.cancel()
        self._link.close()
        self._events.clear()
        self._wake()

    def __del__(self) -> None:
        # The garbage collector may run in any thread, and after a failed constructor.
        link: Link | None = getattr(self, "_link", None)
        if link is None or self.is_closed or sys.is_finalizing():
            return
        timers = (self._tick_timer, self._renewal_timer)

        def end() -> None:
            for timer in timers:
                if timer is not None:
                    timer.cancel()
            link.close()

        run_on(self._loop, end)

    def _make_link(self) -> Link:
        return Link(
            self._context,
            zmq.SUB,
            self._ring.route,
            self._keys,
            self._ready,
            is_quick=self._is_one_of_several,
            queue_max=limits.PUSH_QUEUE_MAX,
            topics=self._topics,
        )

    def _turn(self) -> None:
        while not self.is_closed:
            self._deliver_messages()
            event = self._link.monitor.next()
            if event is not None:
                self._follow(event)
            elif not self._link.is_readable:
                return

    def _deliver_messages(self) -> None:
        while (frames := self._link.receive()) is not None:
            # A message may be received before the event of its connection.
            while not self._is_connected and (event := self._link.monitor.next()) is not None:
                self._follow(event)
            if len(frames) >= 2:
                self._deliver(Published(frames[0], frames[1]))

    def _follow(self, event: LinkEvent | ConnectionFailure) -> None:
        match event:
            case LinkEvent.CONNECTING:
                self._ring.connecting()
            case LinkEvent.ACCEPTED:
                self._ring.accepted()
            case LinkEvent.CONNECTED:
                self._is_connected = True
                self._ring.connected()
                self._deliver(Connected())
            case LinkEvent.DISCONNECTED:
                self._ring.disconnected(self._loop.time())
                if self._is_connected:
                    # Messages that arrived before the loss are delivered before it.
                    self._deliver_messages()
                    self._is_connected = False
                    self._deliver(Disconnected())
            case ConnectionFailure():
                self._ring.failed(event, self._loop.time())
        self._set_renewal_timer()

    def _set_renewal_timer(self) -> None:
        due = self._ring.due
        if self._renewal_timer is not None:
            if self._renewal_timer.when() == due:
                return
            self._renewal_timer.cancel()
        self._renewal_timer = None if due is None else self._loop.call_at(due, self._renewal_ready)

    def _renew(self) -> None:
        """Creates a new socket, for another attempt."""
        self._renewal_timer = None
        if self._ring.is_due(self._loop.time()):
            try:
                renewed = self._make_link()
            except (OSError, zmq.ZMQError, InvalidArgument):
                # The process may have no descriptors left for a moment.
                self._ring.disconnected(self._loop.time())
            else:
                lost, self._link = self._link, renewed
                lost.close()
        self._set_renewal_timer()

    def _on_tick(self) -> None:
        self._deliver(Tick())
        if self._tick is not None:
            self._tick_timer = self._loop.call_later(self._tick, self._tick_ready)

    def _deliver(self, event: SubscriberEvent) -> None:
        if len(self._events) < limits.PUSH_QUEUE_MAX:
            self._events.append(event)
        else:
            # One event represents all lost ones.
            self._events[-1] = Lost()
        self._wake()

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)
