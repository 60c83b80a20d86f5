"""Which endpoint a client connects to, and when: a value without clock or socket."""

from __future__ import annotations

import re
import socket
from collections.abc import Sequence

from tidings.rpc import limits
from tidings.rpc.errors import InvalidArgument, RPCError
from tidings.rpc.failure import ConnectionFailure
from tidings.rpc.route import Route, routes
from tidings.rpc.status import StatusCode

_ATTEMPT_TIME_MAX = limits.HANDSHAKE_MILLISECONDS / 1000


class Renewal:
    """When the next socket is created: after a failed attempt, or for another endpoint.

    Whatever failed may change, so the delays grow only up to a maximum.
    """

    _PAUSE_MIN = limits.RECONNECT_MILLISECONDS / 1000
    _PAUSE_MAX = limits.RECONNECT_MILLISECONDS_MAX / 1000

    def __init__(self) -> None:
        self.due: float | None = None
        """The time; ``None`` if not needed."""
        self._pause = self._PAUSE_MIN

    def schedule(self, now: float) -> None:
        """An attempt failed."""
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
    grow. An endpoint with a name may have several routes, which are tried one after the other.

    Each attempt is one socket. One that takes too long is given up: callers learn why.
    """

    def __init__(
        self,
        endpoints: Sequence[str],
        connect_timeout: float,
        now: float,
        *,
        has_keys: bool = False,
    ) -> None:
        """Starts with the first endpoint; there must be at least one.

        ``connect_timeout`` is how long calls wait for a connection: enough to try each route.
        """
        self._endpoints = tuple(endpoints)
        self._routes = tuple(route for endpoint in endpoints for route in routes(endpoint))
        self._has_keys = has_keys
        self._index = 0
        self._next = 1 % len(self._routes)
        """The route that is tried after this one."""
        self._failures: list[ConnectionFailure | None] = [None] * len(self._routes)
        """Of the routes that were tried since the last good connection."""
        self._awaited = ConnectionFailure.SILENT
        """The problem with the attempt under way, if nothing more comes of it."""
        self._attempt_has_failed = False
        self._renewal = Renewal()
        share = connect_timeout / len(self._routes)
        self._attempt_time = max(
            limits.ATTEMPT_MILLISECONDS_MIN / 1000, min(limits.ATTEMPT_MILLISECONDS / 1000, share)
        )
        self._attempt_begin = now
        self._attempt_end: float | None = None
        self._is_connected = False
        self._is_proven = False
        self._begin_attempt(now)

    @property
    def route(self) -> Route:
        """How to connect."""
        return self._routes[self._index]

    @property
    def current(self) -> str:
        """The endpoint to connect to."""
        return self.route.endpoint

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

    def connecting(self) -> None:
        """The address is known, and is asked for a connection."""
        self._awaited = ConnectionFailure.SILENT

    def accepted(self) -> None:
        """The address accepted the connection; the handshake begins."""
        self._awaited = ConnectionFailure.HANDSHAKE_SILENT
        # A list is gone through quickly; a single endpoint gets the time of a slow network.
        if self._attempt_end is not None and not self.has_several:
            self._attempt_end = self._attempt_begin + _ATTEMPT_TIME_MAX

    def failed(self, failure: ConnectionFailure, now: float) -> None:
        """The attempt to connect failed."""
        if self._is_connected:
            return
        self._note(failure)
        if failure.ends_attempt:
            self._schedule_next(now)

    def disconnected(self, now: float) -> None:
        """The connection was lost, or the handshake failed."""
        if self._is_connected:
            self._is_connected = False
            self._forget()
            self._note(ConnectionFailure.LOST)
            self._leave_endpoint()
            self._renewal.schedule_at_once(now)
        else:
            if not self._attempt_has_failed:
                self._note(ConnectionFailure.HANDSHAKE_CLOSED)
            self._schedule_next(now)

    def drained(self, now: float) -> None:
        """The server rejects calls because it drains: another one gets them."""
        # If all of them drain, each is a bad connection, and the delays grow.
        if self._is_proven:
            self._forget()
        self._is_connected = False
        self._note(ConnectionFailure.DRAINING)
        self._leave_endpoint()
        self._schedule_next(now)

    def is_due(self, now: float) -> bool:
        """Whether to connect by :attr:`route` now, with a new socket; true once."""
        if self._attempt_end is not None and self._attempt_end <= now:
            if not self._attempt_has_failed:
                self._note(self._awaited)
            self._schedule_next(now)
        if not self._renewal.is_due(now):
            return False
        self._index = self._next
        self._next = (self._index + 1) % len(self._routes)
        self._is_connected = False
        self._is_proven = False
        self._begin_attempt(now)
        return True

    @property
    def error(self) -> RPCError:
        """The error of calls that wait too long for a connection, with the endpoints tried."""
        if not self.has_several:
            failure = self._failure(self._endpoints[0]) or self._awaited
            return failure.error(self._endpoints[0], has_keys=self._has_keys)
        tried = []
        for endpoint in self._endpoints:
            endpoint_failure = self._failure(endpoint)
            if endpoint_failure is not None:
                tried.append(f"{endpoint}: {endpoint_failure.reason(has_keys=self._has_keys)}")
            elif endpoint == self.current:
                tried.append(f"{endpoint}: {self._awaited.reason(has_keys=self._has_keys)} yet")
        code = StatusCode.UNAVAILABLE
        if self.is_refused_everywhere:
            code = StatusCode.UNAUTHENTICATED
        return RPCError.of(code, f"cannot reach any of the endpoints: {'; '.join(tried)}")

    @property
    def is_refused_everywhere(self) -> bool:
        """Whether no endpoint admits the key, so that waiting does not help."""
        return all(
            failure is not None and failure.is_refusal
            for failure in map(self._failure, self._endpoints)
        )

    def _failure(self, endpoint: str) -> ConnectionFailure | None:
        """The problem with an endpoint: the failure of the route that came furthest."""
        return max(
            (
                failure
                for route, failure in zip(self._routes, self._failures, strict=True)
                if route.endpoint == endpoint and failure is not None
            ),
            default=None,
        )

    def _note(self, failure: ConnectionFailure) -> None:
        self._attempt_has_failed = True
        # The peer may close the connection before the cause is known: the earlier reason is kept.
        if (
            failure is ConnectionFailure.HANDSHAKE_CLOSED
            and self._failures[self._index] is ConnectionFailure.PROTOCOL_MISMATCH
        ):
            return
        self._failures[self._index] = failure

    def _forget(self) -> None:
        self._failures = [None] * len(self._routes)
        self._renewal.stop()

    def _leave_endpoint(self) -> None:
        """Another endpoint follows, if there is one; else the route that was good comes first."""
        count = len(self._routes)
        others = [(self._index + step) % count for step in range(1, count)]
        self._next = next(
            (index for index in others if self._routes[index].endpoint != self.current), self._index
        )

    def _begin_attempt(self, now: float) -> None:
        self._attempt_has_failed = False
        route = self.route
        self._awaited = (
            ConnectionFailure.NAME_SILENT if route.has_name else ConnectionFailure.SILENT
        )
        self._attempt_begin = now
        # Servers that did not answer in time may only be slow: they get as much as a single one.
        is_long = len(self._routes) == 1 or None not in self._failures
        self._attempt_end = now + (_ATTEMPT_TIME_MAX if is_long else self._attempt_time)

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
