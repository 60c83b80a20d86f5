"""The running calls of a client: which are sent, retried or failed, and when.

A value without clock, lock or socket: events go in, actions come out. Times are seconds of any
monotonic clock.

A call waits unsent while there is no connection. When a connection is lost, the calls that were
sent on it receive no response: safe ones are retried, the outcome of the others is unknown.
"""

from __future__ import annotations

import enum
from collections import deque
from dataclasses import dataclass

from tidings.rpc import limits
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
    """Fail the call."""

    call_id: int
    error: RPCError


@dataclass(frozen=True)
class SendCancel:
    """Send a cancellation to the server."""

    call_id: int
    is_on_previous: bool = False
    """On the previous connection."""


Action = Fail | SendCancel


class Reception(enum.Enum):
    """How a response is handled."""

    DELIVER = enum.auto()
    """Pass it to the caller."""
    DELIVER_LAST = enum.auto()
    """Pass it to the caller; the call has ended."""
    DELIVER_UNKNOWN = enum.auto()
    """The same, but it says nothing about an earlier attempt, whose outcome is unknown."""
    RETRY = enum.auto()
    """Discard it; the call is retried later."""
    IGNORE = enum.auto()
    """Discard it; the call has ended already."""


class _Phase(enum.Enum):
    WAITING = enum.auto()
    SENT = enum.auto()
    SENT_ON_PREVIOUS = enum.auto()
    """On the previous connection, which is not used for new calls, and still brings responses."""
    PAUSING = enum.auto()


@dataclass(slots=True)
class _Call:
    is_safe: bool
    deadline: float | None
    patience: float
    """How long it waits for a connection."""
    patience_end: float
    """Until when it waits for one in any case."""
    phase: _Phase = _Phase.WAITING
    resumption: float = 0.0
    attempts: int = 0
    has_answers: bool = False
    is_uncertain: bool = False
    """Whether an attempt was sent whose outcome is unknown."""
    refusals: int = 0
    """How many servers did not begin it because they drain."""

    @property
    def is_sent(self) -> bool:
        return self.phase is _Phase.SENT or self.phase is _Phase.SENT_ON_PREVIOUS


class CallTable:
    """The calls of one connection."""

    def __init__(
        self,
        endpoint: str,
        connect_timeout: float,
        retry: RetryPolicy,
        calls_max: int,
        now: float,
        endpoints_count: int = 1,
    ) -> None:
        """Creates the table of a connection that is being established."""
        self._endpoint = endpoint
        self._previous_endpoint = ""
        self._endpoints_count = endpoints_count
        self._is_leaving = False
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
    def is_leaving(self) -> bool:
        """Whether the connection only brings responses, until there is another."""
        return self._is_leaving

    @property
    def awaits_previous(self) -> bool:
        """Whether calls wait for responses on the previous connection."""
        return any(call.phase is _Phase.SENT_ON_PREVIOUS for call in self._calls.values())

    @property
    def next_timer(self) -> float | None:
        """When :meth:`expire` must be called next."""
        return self._next_timer

    def __len__(self) -> int:
        """The number of running calls."""
        return len(self._calls)

    def __contains__(self, call_id: int) -> bool:
        """Whether a call is running."""
        return call_id in self._calls

    def start(
        self,
        call_id: int,
        *,
        is_safe: bool,
        deadline: float | None,
        now: float,
        patience: float | None = None,
    ) -> RPCError | None:
        """Adds a call with a new ID; returns an error if it is rejected.

        ``patience`` is how long it waits for a connection; ``None``: as long as others.
        """
        if deadline is not None and deadline <= now:
            return deadline_passed()
        if len(self._calls) >= self._calls_max:
            return ResourceExhausted(
                StatusCode.RESOURCE_EXHAUSTED,
                f"too many calls: at most {self._calls_max} can wait for a response",
            )
        # Whoever repeats calls without a pause would keep a processor busy.
        patience = self._connect_timeout if patience is None else patience
        pause = min(patience, limits.REFUSAL_PAUSE_MILLISECONDS / 1000)
        call = self._calls[call_id] = _Call(is_safe, deadline, patience, now + pause)
        self._unsent.append(call_id)
        self._wake(deadline)
        self._wake(self._patience_end(call))
        return None

    def next_unsent(self) -> tuple[int, float | None] | None:
        """Returns the call to send next with its deadline, if there is a call and a connection.

        It stays the next one until :meth:`sent` is called.
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
        """The call was passed to the socket."""
        self._unsent.popleft()
        call = self._calls.get(call_id)
        if call is not None:
            call.phase = _Phase.SENT
            call.attempts += 1

    def received(self, call_id: int, *, is_last: bool) -> Reception:
        """A response arrived; returns how to handle it."""
        call = self._calls.get(call_id)
        if call is None or not call.is_sent:
            return Reception.IGNORE
        if is_last:
            del self._calls[call_id]
            return Reception.DELIVER_LAST
        call.has_answers = True
        return Reception.DELIVER

    def failed(
        self,
        call_id: int,
        *,
        is_unavailable: bool,
        retry_after: float | None,
        jitter: float,
        now: float,
        is_unbegun: bool = False,
        is_uncertain: bool = False,
        asks_next: bool = False,
    ) -> Reception:
        """The last response arrived, an error; returns how to handle it.

        ``is_unbegun``: the server takes no calls for now and did not begin this one, so that it may
        be repeated, whatever it does; ``is_uncertain``: it does not know whether the call took
        effect; ``asks_next``: another server is asked immediately.
        ``retry_after`` is the delay that the server requests before a retry, in seconds; ``jitter``
        is a random number in [0, 1).
        """
        call = self._calls.get(call_id)
        if call is None or not call.is_sent:
            return Reception.IGNORE
        call.is_uncertain = call.is_uncertain or is_uncertain
        # Each server is asked once; then it is like any other call that is unavailable.
        if asks_next and not call.has_answers and call.refusals + 1 < self._endpoints_count:
            call.refusals += 1
            call.attempts -= 1
            call.phase = _Phase.WAITING
            self._wait_again(call_id)
            return Reception.RETRY
        # Retries that the server requests are limited by the deadline, not by the number of
        # attempts: because of other clients, an attempt may be too early more than once.
        is_early = retry_after is not None and not is_unavailable and call.deadline is not None
        may_try_again = is_early or call.attempts < self._retry.attempts_max
        wants_retry = is_unavailable or retry_after is not None
        may_repeat = (call.is_safe or is_unbegun) and not call.has_answers and may_try_again
        if wants_retry and may_repeat:
            pause = self._retry.pause(call.attempts, jitter)
            resumption = now + pause + (retry_after or 0.0)
            if call.deadline is None or resumption < call.deadline:
                call.phase = _Phase.PAUSING
                call.resumption = resumption
                self._wake(resumption)
                return Reception.RETRY
        del self._calls[call_id]
        if is_unavailable and call.is_uncertain:
            return Reception.DELIVER_UNKNOWN
        return Reception.DELIVER_LAST

    def is_running(self, call_id: int) -> bool:
        """Whether a call was sent and waits for responses, so that it can get credit."""
        call = self._calls.get(call_id)
        return call is not None and call.is_sent

    def is_on_previous(self, call_id: int) -> bool:
        """Whether a call was sent on the previous connection."""
        call = self._calls.get(call_id)
        return call is not None and call.phase is _Phase.SENT_ON_PREVIOUS

    def connected(self) -> None:
        """There is a connection; unsent calls can be sent."""
        self._disconnected = None
        self._failure = None
        self._is_leaving = False

    def connecting(self, endpoint: str) -> None:
        """Another attempt to connect begins, perhaps to another endpoint.

        Responses to calls that were sent on a connection that is being left arrive on that one,
        which is the previous one from now on.
        """
        if self._is_leaving:
            self._previous_endpoint = self._endpoint
            for call in self._calls.values():
                if call.is_sent:
                    call.phase = _Phase.SENT_ON_PREVIOUS
        self._is_leaving = False
        self._endpoint = endpoint

    def leave(self, now: float) -> None:
        """The server drains: no more calls are sent on the connection, responses still arrive."""
        if self.is_connected:
            self._is_leaving = True
            self._disconnected = now
            self._wake_impatient()

    def connection_failed(self, error: RPCError, *, fails_calls: bool) -> list[Action]:
        """An attempt to connect failed; connecting is retried.

        Calls that time out while they wait for a connection fail with ``error``; with
        ``fails_calls`` they fail immediately.
        """
        if self.is_connected:
            return []
        self._failure = error
        if not fails_calls:
            return []
        self._unsent.clear()
        # Responses to calls that were sent to a server that drains still arrive.
        waiting = [call_id for call_id, call in self._calls.items() if not call.is_sent]
        return [Fail(call_id, _last(self._calls.pop(call_id), error)) for call_id in waiting]

    def connection_lost(self, now: float) -> list[Action]:
        """The connection was lost, and with it all outstanding responses."""
        if self.is_connected:
            self._disconnected = now
            self._wake_impatient()
        elif not self._is_leaving:
            return []
        self._is_leaving = False
        return self._end_responses(_Phase.SENT, self._endpoint)

    def previous_connection_lost(self) -> list[Action]:
        """The previous connection was lost, and with it its outstanding responses."""
        return self._end_responses(_Phase.SENT_ON_PREVIOUS, self._previous_endpoint)

    def _end_responses(self, phase: _Phase, endpoint: str) -> list[Action]:
        actions: list[Action] = []
        for call_id, call in list(self._calls.items()):
            if call.phase is not phase:
                continue
            if call.is_safe and not call.has_answers and call.attempts < self._retry.attempts_max:
                call.phase = _Phase.WAITING
                call.is_uncertain = True
                self._wait_again(call_id)
            else:
                del self._calls[call_id]
                actions.append(Fail(call_id, _lost(call, endpoint)))
        return actions

    def cancel(self, call_id: int) -> list[Action]:
        """The caller cancelled the call; it is not notified."""
        call = self._calls.pop(call_id, None)
        if call is None or not call.is_sent:
            return []
        if call.phase is _Phase.SENT_ON_PREVIOUS:
            return [SendCancel(call_id, is_on_previous=True)]
        return [SendCancel(call_id)] if self.is_connected or self._is_leaving else []

    def expire(self, now: float) -> list[Action]:
        """Fails calls whose deadline passed, and ends the pauses before retries."""
        if self._next_timer is None or self._next_timer > now:
            return []
        self._next_timer = None
        actions: list[Action] = []
        for call_id, call in list(self._calls.items()):
            if call.deadline is not None and call.deadline <= now:
                actions.append(Fail(call_id, self._deadline_passed(call)))
                actions += self.cancel(call_id)
                continue
            patience_end = self._patience_end(call)
            if patience_end is not None and patience_end <= now:
                del self._calls[call_id]
                actions.append(Fail(call_id, _last(call, self._unreachable())))
                continue
            self._wake(call.deadline)
            self._wake(patience_end)
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

    def _patience_end(self, call: _Call) -> float | None:
        """When a call stops waiting for a connection; ``None`` if it does not wait for one."""
        if self._disconnected is None or call.is_sent:
            return None
        return max(self._disconnected + call.patience, call.patience_end)

    def _wait_again(self, call_id: int) -> None:
        """A call that was sent is sent again, or fails if there is no connection for too long."""
        self._unsent.append(call_id)
        # The time may have passed already, without a call that waited.
        self._wake(self._patience_end(self._calls[call_id]))

    def _wake_impatient(self) -> None:
        """The calls that wait for a connection may wait too long."""
        for call in self._calls.values():
            self._wake(self._patience_end(call))

    def _wake(self, timer: float | None) -> None:
        if timer is not None and (self._next_timer is None or timer < self._next_timer):
            self._next_timer = timer

    def _deadline_passed(self, call: _Call) -> RPCError:
        """A call that was never sent failed for want of a connection, which says more."""
        error = deadline_passed()
        if self._disconnected is None or call.is_sent or self._failure is None:
            return error
        return RPCError.of(error.code, f"{error.message}: {self._failure.message}")

    def _unreachable(self) -> RPCError:
        if self._failure is not None:
            return self._failure
        return Unavailable(StatusCode.UNAVAILABLE, f"cannot reach {self._endpoint}")


def _last(call: _Call, error: RPCError) -> RPCError:
    """The error of the last attempt."""
    return error.after_unknown_outcome() if call.is_uncertain else error.copied()


def _lost(call: _Call, endpoint: str) -> RPCError:
    if call.has_answers:
        return Unavailable(
            StatusCode.UNAVAILABLE, f"the connection to {endpoint} was lost during the stream"
        )
    return Unavailable(
        StatusCode.UNAVAILABLE,
        f"the connection to {endpoint} was lost; whether the call took effect is unknown",
        [error_info("OUTCOME_UNKNOWN")],
    )
