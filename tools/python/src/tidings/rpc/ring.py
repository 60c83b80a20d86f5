"""Which endpoint a client connects to, and when: a value without clock or socket."""

from __future__ import annotations

import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass

from tidings.rpc import limits
from tidings.rpc.errors import InvalidArgument, RPCError
from tidings.rpc.status import StatusCode


@dataclass(frozen=True)
class EndpointFailure:
    """The problem with an endpoint."""

    reason: str
    is_refusal: bool = False
    """The server does not admit the key."""


_LOST = EndpointFailure("the connection was lost")
_SILENT = EndpointFailure("no answer")
_DRAINING = EndpointFailure("takes no calls for now (it is draining)")


class Renewal:
    """When a socket is recreated: after a failed handshake, or for another endpoint.

    libzmq reconnects automatically if the connection is refused, but not if the protocols do not
    match or the key is not admitted. Both may change, so the delays grow only up to a maximum.
    """

    _PAUSE_MIN = limits.RECONNECT_MILLISECONDS / 1000
    _PAUSE_MAX = limits.RECONNECT_MILLISECONDS_MAX / 1000

    def __init__(self) -> None:
        self.due: float | None = None
        """The time; ``None`` if not needed."""
        self._pause = self._PAUSE_MIN

    def schedule(self, now: float) -> None:
        """A handshake failed."""
        if self.due is None:
            self.due = now + self._pause
            self._pause = min(self._pause * 2, self._PAUSE_MAX)

    def schedule_at_once(self, now: float) -> None:
        """A connection was lost, or there is another endpoint to try."""
        if self.due is None:
            self.due = now

    def cancel(self) -> None:
        """There is a connection, which may not be a good one: the delays stay as they are."""
        self.due = None

    def stop(self) -> None:
        """There is a connection."""
        self.due = None
        self._pause = self._PAUSE_MIN

    def is_due(self, now: float) -> bool:
        """Whether to recreate the socket now; true once."""
        if self.due is None or self.due > now:
            return False
        self.due = None
        return True


class EndpointRing:
    """The endpoints of a server, in the order in which they are tried.

    The first endpoint that connects is kept until it is lost. Then the next one is tried at once,
    as long as there is one that was not tried since the last good connection; after that the delays
    grow. With one endpoint, only lost connections and failed handshakes require a new socket.
    """

    def __init__(self, endpoints: Sequence[str], connect_timeout: float, now: float) -> None:
        """Starts with the first endpoint; there must be at least one.

        ``connect_timeout`` is how long calls wait for a connection: enough to try each endpoint.
        """
        self._endpoints = tuple(endpoints)
        self._index = 0
        self._failures: list[EndpointFailure | None] = [None] * len(endpoints)
        """Of the endpoints that were tried since the last good connection."""
        self._attempt_failure: EndpointFailure | None = None
        self._renewal = Renewal()
        share = connect_timeout / len(endpoints)
        self._attempt_time = max(
            limits.ATTEMPT_MILLISECONDS_MIN / 1000, min(limits.ATTEMPT_MILLISECONDS / 1000, share)
        )
        self._attempt_end: float | None = None
        self._is_connected = False
        self._is_proven = False
        self._begin_attempt(now)

    @property
    def current(self) -> str:
        """The endpoint to connect to."""
        return self._endpoints[self._index]

    @property
    def has_several(self) -> bool:
        """Whether there is another endpoint."""
        return len(self._endpoints) > 1

    @property
    def due(self) -> float | None:
        """When :meth:`is_due` must be called next; ``None``: after the next event."""
        times = [time for time in (self._renewal.due, self._attempt_end) if time is not None]
        return min(times, default=None)

    def connected(self) -> None:
        """The handshake succeeded."""
        self._is_connected = True
        self._attempt_end = None
        if self.has_several:
            self._renewal.cancel()
        else:
            self._renewal.stop()

    def answered(self) -> None:
        """A call was answered, and not rejected because the server drains: a good connection."""
        if not self._is_proven and self._is_connected:
            self._is_proven = True
            self._forget()

    def failed(self, failure: EndpointFailure, now: float, *, is_over: bool) -> None:
        """The attempt to connect failed; ``is_over``: no other event of it follows."""
        if self._is_connected:
            return
        self._note(failure)
        if is_over and self.has_several:
            self._schedule_next(now)

    def disconnected(self, now: float) -> None:
        """The connection was lost, or the handshake failed."""
        if self._is_connected:
            self._is_connected = False
            self._forget()
            self._note(_LOST)
            self._renewal.schedule_at_once(now)
        else:
            self._note(self._attempt_failure or _LOST)
            self._schedule_next(now)

    def drained(self, now: float) -> None:
        """The server rejects calls because it drains: another one gets them."""
        # If all of them drain, each is a bad connection, and the delays grow.
        if self._is_proven:
            self._forget()
        self._is_connected = False
        self._note(_DRAINING)
        self._schedule_next(now)

    def is_due(self, now: float) -> bool:
        """Whether to connect to :attr:`current` now, with a new socket; true once."""
        if self._attempt_end is not None and self._attempt_end <= now:
            self._note(self._attempt_failure or _SILENT)
            self._schedule_next(now)
        if not self._renewal.is_due(now):
            return False
        self._index = self._next
        self._is_connected = False
        self._is_proven = False
        self._begin_attempt(now)
        return True

    @property
    def error(self) -> RPCError:
        """The error of calls that wait too long for a connection, with the endpoints tried."""
        tried = []
        for index, (endpoint, failure) in enumerate(
            zip(self._endpoints, self._failures, strict=True)
        ):
            if failure is not None:
                tried.append(f"{endpoint}: {failure.reason}")
            elif index == self._index:
                tried.append(f"{endpoint}: no answer yet")
        code = StatusCode.UNAVAILABLE
        if self.is_refused_everywhere:
            code = StatusCode.UNAUTHENTICATED
        return RPCError.of(code, f"cannot reach any of the endpoints: {'; '.join(tried)}")

    @property
    def is_refused_everywhere(self) -> bool:
        """Whether no endpoint admits the key, so that waiting does not help."""
        return all(failure is not None and failure.is_refusal for failure in self._failures)

    @property
    def _next(self) -> int:
        return (self._index + 1) % len(self._endpoints)

    def _note(self, failure: EndpointFailure) -> None:
        self._attempt_failure = failure
        self._failures[self._index] = failure

    def _forget(self) -> None:
        self._failures = [None] * len(self._endpoints)
        self._renewal.stop()

    def _begin_attempt(self, now: float) -> None:
        self._attempt_failure = None
        if not self.has_several:
            return
        # Servers that did not answer in time may only be slow: they get as much as a single one.
        has_tried_all = None not in self._failures
        time = limits.HANDSHAKE_MILLISECONDS / 1000 if has_tried_all else self._attempt_time
        self._attempt_end = now + time

    def _schedule_next(self, now: float) -> None:
        self._attempt_end = None
        if self._failures[self._next] is None:
            self._renewal.schedule_at_once(now)
        else:
            self._renewal.schedule(now)


_WELL_FORMED = re.compile(r"(ipc|inproc)://.+|tcp://[A-Za-z0-9.\-_:%;\[\]*]+:[0-9]{1,5}")


def check_endpoints(endpoints: Sequence[str]) -> None:
    """Raises :class:`InvalidArgument` if a list of endpoints is empty or has unusable items."""
    if not endpoints:
        raise _invalid("the list of endpoints is empty: it needs at least one")
    for endpoint in endpoints:
        _check_brackets(endpoint)
    if len(endpoints) == 1:
        return
    for index, endpoint in enumerate(endpoints):
        if not endpoint.strip():
            raise _invalid(f"item {index + 1} of the list of endpoints is blank: remove it")
        if not _WELL_FORMED.fullmatch(endpoint):
            raise _invalid(
                f"'{endpoint}' in the list of endpoints is malformed: use tcp://HOST:PORT or "
                "ipc://PATH"
            )
        if endpoint in endpoints[:index]:
            raise _invalid(f"'{endpoint}' is in the list of endpoints twice: name each one once")


_BRACKETS = re.compile(r"tcp://(?:[^;\[\]]*;)?\[([^\[\]]*)\]:[0-9*]+")


def _check_brackets(endpoint: str) -> None:
    """Only an IPv6 address stands in brackets, a link-local one with its zone."""
    if "[" not in endpoint and "]" not in endpoint:
        return
    match = _BRACKETS.fullmatch(endpoint)
    address, _, _ = match[1].partition("%") if match else ("", "", "")
    try:
        socket.inet_pton(socket.AF_INET6, address)
    except OSError:
        raise _invalid(
            f"'{endpoint}' is malformed: brackets are for IPv6 addresses, as in tcp://[::1]:5570"
        ) from None


def _invalid(problem: str) -> InvalidArgument:
    return InvalidArgument(StatusCode.INVALID_ARGUMENT, problem)
