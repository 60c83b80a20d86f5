"""The calls of a client that wait for answers: what is sent, sent again, or given up, and when.

A value without clock, lock or socket: events go in, what is to be done comes out. Times are seconds
of any steady clock.

A call waits unsent while there is no connection. When a connection is lost, calls that were sent on
it will never be answered: safe ones wait to be sent again, the outcome of the others is unknown.
"""

from __future__ import annotations

import enum
from collections import deque
from dataclasses import dataclass

from tidings.rpc.errors import (
    ResourceExhausted,
    RPCError,
    Unavailable,
    deadline_passed,
    error_info,
)
from tidings.rpc.retry import RetryPolicy
from tidings.rpc.status import StatusCode


@dataclass(frozen=True)
class Fail:
    """Tell the caller, who waits no longer."""

    call_id: int
    error: RPCError


@dataclass(frozen=True)
class SendCancel:
    """Tell the server that nobody waits any more."""

    call_id: int


Action = Fail | SendCancel


class Reception(enum.Enum):
    """What becomes of a response."""

    DELIVER = enum.auto()
    """Give it to the caller."""
    DELIVER_LAST = enum.auto()
    """It is the last one: give it to the caller, who is forgotten."""
    RETRY = enum.auto()
    """Keep it back; the call will be sent again."""
    IGNORE = enum.auto()
    """Nobody waits for it."""


class _Phase(enum.Enum):
    WAITING = enum.auto()
    SENT = enum.auto()
    PAUSING = enum.auto()


@dataclass
class _Call:
    is_safe: bool
    deadline: float | None
    phase: _Phase = _Phase.WAITING
    resumption: float = 0.0
    attempts: int = 0
    has_answers: bool = False


class CallTable:
    """The calls of one connection."""

    def __init__(
        self,
        endpoint: str,
        connect_timeout: float,
        retry: RetryPolicy,
        calls_max: int,
        now: float,
    ) -> None:
        """A table of a connection that is being made."""
        self._endpoint = endpoint
        self._connect_timeout = connect_timeout
        self._retry = retry
        self._calls_max = calls_max
        self._calls: dict[int, _Call] = {}
        self._unsent: deque[int] = deque()
        self._disconnected: float | None = now
        self._failure: RPCError | None = None
        self._next_timer: float | None = None

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection."""
        return self._disconnected is None

    @property
    def next_timer(self) -> float | None:
        """When :meth:`expire` is to be called next."""
        return self._next_timer

    def __len__(self) -> int:
        """How many callers wait."""
        return len(self._calls)

    def __contains__(self, call_id: int) -> bool:
        """Whether a caller waits."""
        return call_id in self._calls

    def start(
        self, call_id: int, *, is_safe: bool, deadline: float | None, now: float
    ) -> RPCError | None:
        """Admits a call with an id that was never used; returns why it is refused, if it is."""
        if deadline is not None and deadline <= now:
            return deadline_passed()
        if len(self._calls) >= self._calls_max:
            return ResourceExhausted(
                StatusCode.RESOURCE_EXHAUSTED,
                f"{self._calls_max} calls are waiting, which is the limit",
            )
        due = self._connection_due
        if due is not None and due <= now:
            return self._unreachable()
        self._calls[call_id] = _Call(is_safe, deadline)
        self._unsent.append(call_id)
        self._wake(deadline)
        self._wake(due)
        return None

    def next_unsent(self) -> tuple[int, float | None] | None:
        """Returns the call to be sent next with its deadline, if there is one and a connection.

        It stays the next one until :meth:`sent`.
        """
        if not self.is_connected:
            return None
        while self._unsent:
            call = self._calls.get(self._unsent[0])
            if call is not None and call.phase is _Phase.WAITING:
                return self._unsent[0], call.deadline
            self._unsent.popleft()
        return None

    def sent(self, call_id: int) -> None:
        """The call was handed to the socket."""
        self._unsent.popleft()
        call = self._calls.get(call_id)
        if call is not None:
            call.phase = _Phase.SENT
            call.attempts += 1

    def received(
        self,
        call_id: int,
        *,
        is_unavailable: bool,
        retry_after: float | None,
        is_last: bool,
        jitter: float,
        now: float,
    ) -> Reception:
        """A response came: returns what to do with it.

        ``retry_after`` is how many seconds its server wants to be left alone with the call, if it
        says so; ``jitter`` a random number in [0, 1).
        """
        call = self._calls.get(call_id)
        if call is None or call.phase is not _Phase.SENT:
            return Reception.IGNORE
        # Who is told to wait may do so as long as there is time: the next attempt may be too early
        # again because of others.
        is_early = retry_after is not None and not is_unavailable and call.deadline is not None
        may_try_again = is_early or call.attempts < self._retry.attempts_max
        wants_retry = is_unavailable or retry_after is not None
        if wants_retry and call.is_safe and not call.has_answers and may_try_again:
            pause = self._retry.pause(call.attempts, jitter)
            resumption = now + pause + (retry_after or 0.0)
            if call.deadline is None or resumption < call.deadline:
                call.phase = _Phase.PAUSING
                call.resumption = resumption
                self._wake(resumption)
                return Reception.RETRY
        if is_last:
            del self._calls[call_id]
            return Reception.DELIVER_LAST
        call.has_answers = True
        return Reception.DELIVER

    def is_running(self, call_id: int) -> bool:
        """Whether a call was sent and waits for answers, so that credit for it makes sense."""
        call = self._calls.get(call_id)
        return call is not None and call.phase is _Phase.SENT

    def connected(self) -> None:
        """There is a connection; unsent calls can go."""
        self._disconnected = None
        self._failure = None

    def connection_failed(self, error: RPCError, *, fails_calls: bool) -> list[Action]:
        """An attempt to connect failed; others follow.

        ``error`` is what calls are told that wait too long for a connection; with ``fails_calls``
        they need not wait longer to be told.
        """
        if self.is_connected:
            return []
        self._failure = error
        if not fails_calls:
            return []
        self._unsent.clear()
        return self.end_all(error)

    def connection_lost(self, now: float) -> list[Action]:
        """The connection is gone, and with it every answer that was to come on it."""
        if not self.is_connected:
            return []
        self._disconnected = now
        self._wake(self._connection_due)
        actions: list[Action] = []
        for call_id, call in list(self._calls.items()):
            if call.phase is not _Phase.SENT:
                continue
            if call.is_safe and not call.has_answers and call.attempts < self._retry.attempts_max:
                call.phase = _Phase.WAITING
                self._unsent.append(call_id)
            else:
                del self._calls[call_id]
                actions.append(Fail(call_id, self._lost(call)))
        return actions

    def cancel(self, call_id: int) -> list[Action]:
        """The caller gave up, and knows it."""
        call = self._calls.pop(call_id, None)
        if call is None or call.phase is not _Phase.SENT or not self.is_connected:
            return []
        return [SendCancel(call_id)]

    def expire(self, now: float) -> list[Action]:
        """Gives up what takes too long, and ends pauses that are over."""
        if self._next_timer is None or self._next_timer > now:
            return []
        self._next_timer = None
        due = self._connection_due
        if due is not None and due > now:
            self._wake(due)
        actions: list[Action] = []
        for call_id, call in list(self._calls.items()):
            if call.deadline is not None and call.deadline <= now:
                actions.append(Fail(call_id, deadline_passed()))
                actions += self.cancel(call_id)
            elif due is not None and due <= now:
                del self._calls[call_id]
                actions.append(Fail(call_id, self._unreachable()))
            else:
                self._wake(call.deadline)
                self._end_pause(call_id, call, now)
        return actions

    def end_all(self, error: RPCError) -> list[Action]:
        """Ends all calls with an error."""
        calls, self._calls = self._calls, {}
        return [Fail(call_id, error.copied()) for call_id in calls]

    def _end_pause(self, call_id: int, call: _Call, now: float) -> None:
        if call.phase is not _Phase.PAUSING:
            return
        if call.resumption <= now:
            call.phase = _Phase.WAITING
            self._unsent.append(call_id)
        else:
            self._wake(call.resumption)

    @property
    def _connection_due(self) -> float | None:
        """When calls wait no longer for a connection; ``None``: there is one."""
        return None if self._disconnected is None else self._disconnected + self._connect_timeout

    def _wake(self, timer: float | None) -> None:
        if timer is not None and (self._next_timer is None or timer < self._next_timer):
            self._next_timer = timer

    def _unreachable(self) -> RPCError:
        if self._failure is not None:
            return self._failure.copied()
        return Unavailable(StatusCode.UNAVAILABLE, f"cannot reach {self._endpoint}")

    def _lost(self, call: _Call) -> RPCError:
        if call.has_answers:
            return Unavailable(
                StatusCode.UNAVAILABLE,
                f"the connection to {self._endpoint} was lost amid the stream",
            )
        return Unavailable(
            StatusCode.UNAVAILABLE,
            f"the connection to {self._endpoint} was lost; whether the call took effect is unknown",
            [error_info("OUTCOME_UNKNOWN")],
        )
