"""Which call is sent, retried or failed, without a clock."""

from __future__ import annotations

from tidings.rpc.call_table import Action, CallTable, Fail, Reception, SendCancel
from tidings.rpc.errors import RPCError, Unauthenticated, Unavailable, error_info
from tidings.rpc.retry import RetryPolicy
from tidings.rpc.status import StatusCode

PATIENCE = 3.0


def make_table(*, is_connected: bool = True, calls_max: int = 10) -> CallTable:
    policy = RetryPolicy(attempts_max=3, first_pause_max=1, pause_max=4)
    table = CallTable("tcp://there", PATIENCE, policy, calls_max, now=0)
    if is_connected:
        table.connected()
    return table


def send(table: CallTable) -> list[int]:
    sent = []
    while (unsent := table.next_unsent()) is not None:
        table.sent(unsent[0])
        sent.append(unsent[0])
    return sent


def failures(actions: list[Action]) -> dict[int, StatusCode]:
    return {one.call_id: one.error.code for one in actions if isinstance(one, Fail)}


def start(table: CallTable, call_id: int, *, is_safe: bool = True, now: float = 0) -> None:
    assert table.start(call_id, is_safe=is_safe, deadline=None, now=now) is None


def unavailable(table: CallTable, call_id: int, *, now: float = 0) -> Reception:
    return table.failed(call_id, is_unavailable=True, retry_after=None, jitter=0.5, now=now)


def test_calls_wait_for_a_connection() -> None:
    table = make_table(is_connected=False)
    start(table, 1)
    assert send(table) == [] and table.next_timer == PATIENCE
    assert table.expire(2.9) == []
    assert failures(table.expire(PATIENCE)) == {1: StatusCode.UNAVAILABLE}
    # Who repeats calls without a pause does it twice a second.
    start(table, 2, now=PATIENCE)
    assert table.next_timer == PATIENCE + 0.5 and table.expire(PATIENCE + 0.4) == []
    (refusal,) = table.expire(PATIENCE + 0.5)
    assert isinstance(refusal, Fail) and "cannot reach tcp://there" in refusal.error.message
    # A call that waits goes as soon as there is a connection.
    start(table, 3, now=PATIENCE + 0.5)
    table.connected()
    assert send(table) == [3]


def test_a_refused_key_fails_calls_at_once() -> None:
    table = make_table(is_connected=False)
    start(table, 1)
    error = Unauthenticated(StatusCode.UNAUTHENTICATED, "not you")
    assert table.connection_failed(error, fails_calls=False) == []
    assert failures(table.connection_failed(error, fails_calls=True)) == {
        1: StatusCode.UNAUTHENTICATED
    }
    assert len(table) == 0


def test_the_budget_of_attempts_covers_losses_and_refusals() -> None:
    table = make_table()
    start(table, 1)
    send(table)
    assert table.connection_lost(0) == []
    table.connected()
    assert send(table) == [1]
    assert unavailable(table, 1) is Reception.RETRY
    # Half of two seconds, the bound before the third attempt.
    assert table.next_timer == 1.0
    assert send(table) == []
    table.expire(1.0)
    assert send(table) == [1]
    assert unavailable(table, 1, now=1) is Reception.DELIVER_UNKNOWN


def test_calls_with_responses_and_unsafe_calls_are_not_retried() -> None:
    table = make_table()
    start(table, 1, is_safe=False)
    start(table, 2)
    start(table, 3)
    send(table)
    assert table.received(2, is_last=False) is Reception.DELIVER
    actions = table.connection_lost(0)
    assert failures(actions) == {1: StatusCode.UNAVAILABLE, 2: StatusCode.UNAVAILABLE}
    texts = {one.call_id: one.error.message for one in actions if isinstance(one, Fail)}
    assert "is unknown" in texts[1] and "during the stream" in texts[2]
    assert unavailable(table, 1) is Reception.IGNORE
    table.connected()
    assert send(table) == [3]


def test_deadlines_end_calls_in_every_phase() -> None:
    table = make_table()
    for call_id, deadline in [(1, 1.0), (2, 2.0)]:
        assert table.start(call_id, is_safe=True, deadline=deadline, now=0) is None
    assert send(table) == [1, 2]
    # No retry that would start after the deadline.
    reception = table.failed(1, is_unavailable=True, retry_after=1.0, jitter=0.5, now=0)
    assert reception is Reception.DELIVER_LAST
    actions = table.expire(2.0)
    assert failures(actions) == {2: StatusCode.DEADLINE_EXCEEDED}
    assert SendCancel(2) in actions
    refusal = table.start(3, is_safe=True, deadline=2.0, now=2)
    assert refusal is not None and refusal.code is StatusCode.DEADLINE_EXCEEDED


def test_requested_retries_are_limited_by_the_deadline() -> None:
    table = make_table()
    assert table.start(1, is_safe=True, deadline=100.0, now=0) is None
    for attempt in range(10):
        table.expire(attempt * 5.0)
        assert send(table) == [1]
        reception = table.failed(
            1, is_unavailable=False, retry_after=0.5, jitter=0.5, now=attempt * 5.0
        )
        assert reception is Reception.RETRY


def test_calls_are_bounded() -> None:
    table = make_table(calls_max=1)
    start(table, 1)
    refusal = table.start(2, is_safe=True, deadline=None, now=0)
    assert refusal is not None and refusal.code is StatusCode.RESOURCE_EXHAUSTED
    assert table.cancel(1) == [] and table.cancel(9) == []
    start(table, 3)
    send(table)
    assert table.cancel(3) == [SendCancel(3)]


def test_each_caller_gets_an_error_of_its_own() -> None:
    table = make_table()
    start(table, 1)
    start(table, 2)
    error = RPCError.of(StatusCode.CANCELLED, "closed")
    first, second = (one.error for one in table.end_all(error) if isinstance(one, Fail))
    assert first is not second and str(first) == str(second) == "CANCELLED: closed"


def test_an_unknown_outcome_is_not_hidden_by_later_errors() -> None:
    table = make_table()
    for call_id in (1, 2, 3):
        start(table, call_id)
    assert send(table) == [1, 2, 3]
    # A server says so, or the connection is lost.
    reception = table.failed(
        1, is_unavailable=True, retry_after=None, jitter=0.5, now=0, is_uncertain=True
    )
    assert reception is Reception.RETRY
    assert table.connection_lost(0) == []
    start(table, 4)
    table.connected()
    assert table.expire(1) == []
    assert sorted(send(table)) == [1, 2, 3, 4]
    assert unavailable(table, 2, now=1) is Reception.RETRY
    # What was done the first time is answered the second time.
    assert table.received(3, is_last=True) is Reception.DELIVER_LAST
    assert table.connection_lost(1) == []
    start(table, 5, now=1)
    refusal = Unavailable(StatusCode.UNAVAILABLE, "no", [error_info("KEY")])
    assert table.connection_failed(refusal, fails_calls=False) == []
    errors = {one.call_id: one.error for one in table.expire(10) if isinstance(one, Fail)}
    assert {call_id: error.has_unknown_outcome for call_id, error in errors.items()} == {
        1: True,
        2: True,
        4: True,
        5: False,
    }
    assert "earlier attempt" in errors[1].message and errors[5].message == "no"


def table_that_left(*, at: float = 1.0) -> CallTable:
    """A table with call 1 on a server that drains, while the next one cannot be reached."""
    policy = RetryPolicy(attempts_max=3, first_pause_max=1, pause_max=4)
    table = CallTable("tcp://a", PATIENCE, policy, 10, now=0, endpoints_count=3)
    table.connected()
    start(table, 1)
    assert send(table) == [1]
    table.leave(at)
    return table


def test_a_call_of_the_previous_connection_waits_for_the_next_one_no_longer_than_others() -> None:
    table = table_that_left()
    table.connecting("tcp://b")
    start(table, 2, now=1)
    assert failures(table.expire(1 + PATIENCE)) == {2: StatusCode.UNAVAILABLE}
    assert table.next_timer is None
    # Its server exits long after the others gave up.
    assert table.previous_connection_lost() == []
    assert table.next_timer == 1 + PATIENCE
    (fail,) = table.expire(100)
    assert isinstance(fail, Fail) and fail.call_id == 1 and fail.error.has_unknown_outcome
    assert len(table) == 0 and table.next_timer is None


def test_a_call_whose_connection_is_lost_while_it_is_left_does_not_wait_forever() -> None:
    table = table_that_left()
    assert table.expire(1 + PATIENCE) == [] and table.next_timer is None
    assert table.connection_lost(100) == []
    assert table.next_timer == 1 + PATIENCE
    assert failures(table.expire(100)) == {1: StatusCode.UNAVAILABLE}


def test_a_call_that_asks_the_next_server_does_not_wait_forever_for_it() -> None:
    table = table_that_left()
    table.connecting("tcp://b")
    assert table.expire(1 + PATIENCE) == [] and table.next_timer is None
    reception = table.failed(
        1,
        is_unavailable=True,
        retry_after=None,
        jitter=0.5,
        now=100,
        is_unbegun=True,
        asks_next=True,
    )
    assert reception is Reception.RETRY
    assert table.next_timer == 1 + PATIENCE
    assert failures(table.expire(100)) == {1: StatusCode.UNAVAILABLE}


def test_a_call_that_waits_again_is_sent_on_the_next_connection() -> None:
    table = table_that_left()
    table.connecting("tcp://b")
    table.connected()
    assert table.previous_connection_lost() == []
    assert send(table) == [1]
    assert table.expire(100) == [] and len(table) == 1
