"""Which endpoint is connected to, and when, without a clock."""

from __future__ import annotations

import pytest

from tidings.rpc.errors import InvalidArgument
from tidings.rpc.ring import EndpointFailure, EndpointRing, check_endpoints
from tidings.rpc.status import StatusCode

CLOSED = EndpointFailure("connection refused")
ANY = "cannot reach any of the endpoints: "


def make_ring(*endpoints: str, patience: float = 20.0) -> EndpointRing:
    return EndpointRing(endpoints, patience, now=0.0)


def fail(ring: EndpointRing, now: float, pause: float) -> float:
    """Lets the attempt fail, and expects the next one so much later."""
    ring.failed(CLOSED, now, is_over=True)
    following = now + pause
    assert ring.due == pytest.approx(following)
    assert ring.is_due(following + 1e-6) and not ring.is_due(following + 1e-6)
    return following + 1e-6


def test_a_single_endpoint_is_left_to_libzmq_except_after_failed_handshakes() -> None:
    ring = make_ring("a")
    ring.failed(CLOSED, 0, is_over=True)
    assert ring.due is None and not ring.has_several
    now = 0.0
    for pause in (0.05, 0.1, 0.2, 0.4, 0.8, 1.0, 1.0):
        ring.disconnected(now)
        assert ring.due == pytest.approx(now + pause)
        now += pause + 1e-6
        assert ring.is_due(now) and ring.current == "a"
    ring.connected()
    assert ring.due is None
    ring.disconnected(60)
    assert ring.is_due(60)


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
    refusal = EndpointFailure("does not admit this key", is_refusal=True)
    ring.failed(refusal, 0, is_over=False)
    ring.disconnected(0)
    assert not ring.is_refused_everywhere and ring.is_due(0)
    ring.failed(refusal, 0, is_over=False)
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
