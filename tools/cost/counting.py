"""Makes the calls, and counts what each takes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import zmq

import callgrind
import calls
from server import CountedServer, plain


@dataclass(frozen=True)
class Case:
    """Calls of one kind, so many at once."""

    name: str
    in_flight: int
    rounds: int
    """How often so many calls are counted."""

    @property
    def key(self) -> str:
        """How the tables name it."""
        return f"{self.name}.n{self.in_flight}"


Counts = dict[str, callgrind.Profile]
"""What a call of each case takes, by function."""

_MANY = 64


def count(rpcd: Path, slow_clock: Path, folder: Path) -> Counts:
    """Counts all cases on one server, with a new store in an empty folder."""
    context = zmq.Context()
    with plain(rpcd, folder) as process:
        calls.prepare(context, process.endpoints, process.rest)
    server = CountedServer(rpcd, folder, slow_clock)
    try:
        with calls.caller(context, server.endpoints) as generator:
            return _Counting(context, server, generator).counts()
    finally:
        server.kill()
        context.destroy()


class _Counting:
    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        server: CountedServer,
        generator: calls.Caller,
    ) -> None:
        self._context, self._server, self._generator = context, server, generator
        # New records have names that no other has.
        self._next = 1_000_000
        self._subscriber: zmq.Socket[bytes] | None = None

    def counts(self) -> Counts:
        calls.prepare_updates(self._context, self._server.endpoints)
        counts: Counts = {}
        kinds = [
            ("fetch", calls.fetch),
            ("save.new", calls.save_new),
            ("save.update", calls.save_update),
        ]
        kinds += [("save.fired", calls.save_fired), ("query", calls.query)]
        for name, make in kinds:
            counts |= self._count(name, make)
        # What a push takes is what the same save takes more as soon as somebody takes its push.
        with self._subscribed():
            counts |= self._count("push", calls.save_fired)
        return counts

    def _count(self, name: str, make: Callable[[int], calls.Call]) -> Counts:
        counts: Counts = {}
        for case in Case(name, 1, 48), Case(name, _MANY, 1 if name == "query" else 6):
            begun = time.monotonic()
            # What is done the first time is not counted.
            self._make_calls(make, case, 16 if case.in_flight == 1 else 1)
            self._server.take_profile()
            self._make_calls(make, case, case.rounds)
            profile = self._server.take_profile()
            made = case.rounds * case.in_flight
            counts[case.key] = {name: cost.per(made) for name, cost in profile.items()}
            print(f"{case.key}: {time.monotonic() - begun:.0f} s", file=sys.stderr)
        return counts

    def _make_calls(self, make: Callable[[int], calls.Call], case: Case, rounds: int) -> None:
        for _ in range(rounds):
            made = [make(number) for number in range(self._next, self._next + case.in_flight)]
            self._next += case.in_flight
            with self._server.held():
                for call in made:
                    self._generator.send(call)
            for call in made:
                self._generator.receive(call)
                if self._subscriber:
                    self._subscriber.recv_multipart()
            self._server.rest()

    @contextmanager
    def _subscribed(self) -> Iterator[None]:
        subscriber = self._context.socket(zmq.SUB)
        subscriber.setsockopt(zmq.RCVTIMEO, calls.TIMEOUT_MILLISECONDS)
        subscriber.setsockopt(zmq.LINGER, 0)
        subscriber.subscribe(calls.topic(self._context, self._server.endpoints))
        subscriber.connect(self._server.endpoints.push)
        self._await_subscription(subscriber)
        self._subscriber = subscriber
        try:
            yield
        finally:
            self._subscriber = None
            subscriber.close()

    def _await_subscription(self, subscriber: zmq.Socket[bytes]) -> None:
        """Saves until a push comes: before the server knows of the subscriber, pushes are lost."""
        while True:
            self._generator.call(calls.save_fired(self._next))
            self._next += 1
            if subscriber.poll(1_000):
                subscriber.recv_multipart()
                return
