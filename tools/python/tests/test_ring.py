"""Which endpoint is connected to, and when, without a clock."""

from __future__ import annotations

import pytest

from tidings.rpc.errors import InvalidArgument
from tidings.rpc.failure import ConnectionFailure
from tidings.rpc.ring import EndpointRing, check_endpoints
from tidings.rpc.route import is_local, routes
from tidings.rpc.status import StatusCode

CLOSED = ConnectionFailure.CONNECTION_REFUSED
ANY = "cannot reach any of the endpoints: "


def make_ring(*endpoints: str, patience: float = 20.0) -> EndpointRing:
    return EndpointRing(endpoints, patience, now=0.0)


def fail(ring: EndpointRing, now: float, pause: float) -> float:
    """Lets the attempt fail, and expects the next one so much later."""
    ring.failed(CLOSED, now)
    following = now + pause
    assert ring.due == pytest.approx(following)
    assert ring.is_due(following + 1e-6) and not ring.is_due(following + 1e-6)
    return following + 1e-6


def test_a_single_endpoint_is_tried_again_after_growing_pauses() -> None:
    ring = make_ring("a")
    assert ring.due == 10.0 and not ring.has_several
    now = 0.0
    for pause in (0.05, 0.1, 0.2, 0.4, 0.8, 1.0):
        now = fail(ring, now, pause)
    ring.failed(ConnectionFailure.HANDSHAKE_CLOSED, now)
    ring.disconnected(now)
    assert ring.due == pytest.approx(now + 1.0) and ring.is_due(now + 1.1)
    assert ring.current == "a" and ring.due == pytest.approx(now + 11.1)
    ring.connected()
    assert ring.due is None
    ring.disconnected(60)
    assert ring.is_due(60)


def test_a_name_has_two_routes_and_the_one_that_was_good_comes_first() -> None:
    ring = make_ring("tcp://house:1", "tcp://[::1]:2", "tcp://127.0.0.1:3")
    assert not ring.route.uses_ipv6 and ring.route.has_name
    ring.failed(ConnectionFailure.UNRESOLVED, 0)
    assert ring.is_due(0) and ring.route.uses_ipv6 and ring.current == "tcp://house:1"
    fail(ring, 0, pause=0)
    assert ring.route.uses_ipv6 and ring.current == "tcp://[::1]:2"
    fail(ring, 0, pause=0)
    assert not ring.route.uses_ipv6 and not ring.route.has_name
    reason = "tcp://house:1: connection refused; tcp://[::1]:2: connection refused; "
    assert reason in ring.error.message

    ring = make_ring("tcp://house:1")
    ring.failed(ConnectionFailure.UNRESOLVED, 0)
    assert ring.is_due(0) and ring.route.uses_ipv6
    ring.connected()
    ring.disconnected(60)
    assert ring.is_due(60) and ring.route.uses_ipv6
    ring.connected()
    ring.disconnected(60)
    assert ring.is_due(60)
    ring.failed(ConnectionFailure.NO_ROUTE, 60)
    assert ring.is_due(60) and not ring.route.uses_ipv6
    assert "no route" in ring.error.message


def test_a_slow_handshake_gets_its_time_where_there_is_one_endpoint() -> None:
    ring = make_ring("tcp://house:1")
    assert ring.due == 1.5
    ring.connecting()
    ring.accepted()
    assert ring.due == 10.0 and not ring.is_due(9.9) and ring.is_due(10.0)
    assert ring.route.uses_ipv6
    assert "has not finished the handshake" in ring.error.message
    ring = make_ring("a", "b")
    ring.accepted()
    assert ring.due == 1.5


def test_each_reason_is_a_sentence_of_its_own() -> None:
    sentences = {
        failure.error("tcp://a:1", has_keys=has_keys).message
        for failure in ConnectionFailure
        for has_keys in (False, True)
    }
    # Two of them depend on whether there are keys.
    assert len(sentences) == len(ConnectionFailure) + 2
    assert all("tcp://a:1" in sentence for sentence in sentences)


def test_what_an_attempt_waits_for_is_the_reason_until_it_fails() -> None:
    ring = make_ring("tcp://house:1")
    assert "name server" in ring.error.message
    ring.connecting()
    assert "no answer: its host is off" in ring.error.message
    ring.accepted()
    assert "has not finished the handshake" in ring.error.message
    ring.failed(ConnectionFailure.PROTOCOL_MISMATCH, 0)
    ring.failed(ConnectionFailure.HANDSHAKE_CLOSED, 0)
    assert "requires authentication" in ring.error.message
    # The next attempt ends before anybody has read why.
    ring.disconnected(0)
    again = ring.due or 0
    assert ring.is_due(again)
    ring.disconnected(again)
    assert "requires authentication" in ring.error.message


@pytest.mark.parametrize(
    ("endpoint", "families", "local"),
    [
        ("tcp://127.0.0.1:1", [False], True),
        ("tcp://10.0.0.1:1", [False], False),
        ("tcp://[::1]:1", [True], True),
        ("tcp://[fe80::1%eth0]:1", [True], False),
        ("tcp://127.example:1", [False, True], False),
        ("tcp://localhost:1", [False, True], True),
        ("tcp://127.0.0.1:0;[::1]:1", [True], True),
        ("ipc:///run/x", [False], True),
    ],
)
def test_routes(endpoint: str, families: list[bool], local: bool) -> None:
    assert [route.uses_ipv6 for route in routes(endpoint)] == families
    assert is_local(endpoint) == local


def test_each_endpoint_is_tried_at_once_and_then_with_growing_pauses() -> None:
    ring = make_ring("a", "b", "c")
    now = fail(ring, 0, pause=0)
    assert ring.current == "b"
    now = fail(ring, now, pause=0)
    assert ring.current == "c"
    steps = ((0.05, "a"), (0.1, "b"), (0.2, "c"), (0.4, "a"), (0.8, "b"), (1.0, "c"), (1.0, "a"))
    for pause, following in steps:
        now = fail(ring, now, pause)
        assert ring.current == following


def test_an_endpoint_that_connects_is_kept_until_it_is_lost() -> None:
    ring = make_ring("a", "b", "c")
    fail(ring, 0, pause=0)
    ring.connected()
    ring.answered()
    assert ring.due is None and ring.current == "b"
    ring.disconnected(60)
    assert ring.is_due(60) and ring.current == "c"
    now = fail(ring, 60, pause=0)
    assert ring.current == "a"
    fail(ring, now, pause=0.05)
    assert ring.current == "b"


def test_silence_is_given_up_and_gets_more_time_if_all_are_silent() -> None:
    ring = make_ring("a", "b")
    assert ring.due == 1.5 and not ring.is_due(1.49)
    assert ring.is_due(1.5) and ring.current == "b" and ring.due == 3.0
    assert not ring.is_due(3.0) and ring.due == pytest.approx(3.05)
    assert ring.is_due(3.1) and ring.current == "a" and ring.due == pytest.approx(13.1)
    assert make_ring("a", "b", "c", patience=3.0).due == 1.0


def test_a_server_that_drains_is_left_and_pauses_grow_where_all_drain() -> None:
    ring = make_ring("a", "b")
    ring.connected()
    ring.answered()
    ring.drained(1)
    assert ring.is_due(1) and ring.current == "b"
    ring.connected()
    ring.drained(1)
    assert ring.due == pytest.approx(1.05) and ring.is_due(1.1) and ring.current == "a"
    ring.connected()
    ring.drained(1.1)
    assert ring.due == pytest.approx(1.2)
    ring.disconnected(1.1)
    assert ring.due == pytest.approx(1.2)


def test_the_error_names_what_was_tried() -> None:
    ring = make_ring("a", "b", "c")
    assert ring.error.message == ANY + "a: no answer yet"
    fail(ring, 0, pause=0)
    assert ring.is_due(1.6)
    assert ring.error.message == ANY + "a: connection refused; b: no answer; c: no answer yet"
    assert ring.error.code is StatusCode.UNAVAILABLE


def test_a_key_that_no_endpoint_admits() -> None:
    ring = make_ring("a", "b")
    ring.failed(ConnectionFailure.KEY_REFUSED, 0)
    ring.disconnected(0)
    assert not ring.is_refused_everywhere and ring.is_due(0)
    ring.failed(ConnectionFailure.KEY_REFUSED, 0)
    assert ring.is_refused_everywhere and ring.error.code is StatusCode.UNAUTHENTICATED


@pytest.mark.parametrize(
    ("endpoints", "problem"),
    [
        ((), "empty"),
        (("tcp://a:1", " "), "item 2 .* blank"),
        (("tcp://a:1", "a:2"), "'a:2' .* malformed"),
        (("tcp://a:1", "tcp://b:1", "tcp://a:1"), "'tcp://a:1' .* twice"),
    ],
)
def test_unusable_lists(endpoints: tuple[str, ...], problem: str) -> None:
    with pytest.raises(InvalidArgument, match=problem):
        check_endpoints(endpoints)
    check_endpoints(["tcp://a:1", "tcp://[::1]:2", "ipc:///run/x"])
