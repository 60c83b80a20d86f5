"""Calls, against a scripted server and against a real one."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Coroutine
from typing import Any

import pytest
from conftest import ClientMaker
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from peer import Peer, refusal
from ports import ReservedPort
from server import Server

import tidings
from tidings.rpc.credit import CreditGrants
from tidings.rpc.v1.error_details_pb2 import BadRequest, RetryInfo
from tidings.rpc.v1.header_pb2 import (
    REQUEST_KIND_CANCEL,
    REQUEST_KIND_CREDIT,
    REQUEST_KIND_UNSPECIFIED,
)
from tidings.rpc.v1.health_pb2 import (
    SERVING_STATUS_SERVING,
    CheckRequest,
    CheckResponse,
    WatchRequest,
    WatchResponse,
)
from tidings.rpc.v1.server_pb2 import FetchServerInfoRequest
from tidings.v1.error_pb2 import ERROR_CODE_ZONE_NOT_FOUND, ItemError
from tidings.v1.record_service_pb2 import (
    FetchDatabaseChangesRequest,
    FetchRecordsRequest,
    ModifyRecordsRequest,
    ModifyRecordsResponse,
)


def start(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    return asyncio.ensure_future(work)


def packed(message: Any) -> AnyMessage:
    detail = AnyMessage()
    detail.Pack(message)
    return detail


async def test_headers_contain_caller_and_options() -> None:
    async with Peer() as peer, peer.client(device="laptop") as client:
        call = start(
            client.records.modify_records(
                ModifyRecordsRequest(dry_run=True),
                timeout=5.0,
                metadata={"trace": "t1", "tidings-device": "phone"},
                idempotency_key="k1",
            )
        )
        heard = await peer.receive()
        assert heard.header.method == "tidings.v1.RecordService/ModifyRecords"
        assert heard.header.kind == REQUEST_KIND_UNSPECIFIED
        assert dict(heard.header.metadata) == {
            "tidings-user": "ada",
            "tidings-device": "phone",
            "trace": "t1",
        }
        assert heard.header.idempotency_key == "k1"
        assert 0 < heard.header.timeout_ms <= 5000
        assert ModifyRecordsRequest.FromString(heard.body).dry_run
        await heard.answer(ModifyRecordsResponse().SerializeToString())
        assert await call == ModifyRecordsResponse()


async def test_no_deadline_is_sent_for_infinity_and_streams() -> None:
    async with Peer() as peer, peer.client() as client:
        call = start(client.health.check(CheckRequest(), timeout=math.inf))
        heard = await peer.receive()
        assert heard.header.timeout_ms == 0
        await heard.answer()
        await call
        async with client.health.watch(WatchRequest()):
            assert (await peer.receive()).header.timeout_ms == 0


async def test_errors_have_classes_and_details() -> None:
    async with Peer() as peer, peer.client() as client:
        call = start(client.health.check(CheckRequest()))
        heard = await peer.receive()
        violation = BadRequest.FieldViolation(field="name", description="too long")
        details = [
            packed(BadRequest(field_violations=[violation])),
            packed(ItemError(code=ERROR_CODE_ZONE_NOT_FOUND, message="no zone")),
            AnyMessage(type_url="type.googleapis.com/tidings.rpc.v1.ErrorInfo", value=b"\xff"),
        ]
        await heard.answer(status=3, message="wrong", details=details, metadata={"server": "one"})
        with pytest.raises(tidings.InvalidArgument, match="INVALID_ARGUMENT: wrong") as caught:
            await call
        error = caught.value
        assert error.bad_request is not None and error.item_error is not None
        assert error.bad_request.field_violations[0].field == "name"
        assert error.item_error.message == "no zone"
        assert error.error_info is None and error.retry_after is None
        assert error.metadata == {"server": "one"}

        call = start(client.health.check(CheckRequest()))
        await (await peer.receive()).answer(status=99, message="new")
        with pytest.raises(tidings.RPCError, match="CODE_99: new"):
            await call

        call = start(client.health.check(CheckRequest()))
        await (await peer.receive()).answer(b"\xff\xff")
        with pytest.raises(tidings.Internal, match="invalid response"):
            await call


async def test_cancelling_the_task_cancels_the_call() -> None:
    async with Peer() as peer, peer.client() as client:
        call = start(client.health.check(CheckRequest()))
        heard = await peer.receive()
        call.cancel()
        cancel = await peer.receive()
        assert cancel.header.kind == REQUEST_KIND_CANCEL
        assert cancel.header.call_id == heard.header.call_id
        with pytest.raises(asyncio.CancelledError):
            await call
        # Its response is late, and is ignored.
        await heard.answer()
        call = start(client.health.check(CheckRequest()))
        await (await peer.receive()).answer(CheckResponse(status=1).SerializeToString())  # type: ignore[arg-type]
        assert (await call).status == SERVING_STATUS_SERVING


async def test_a_deadline_fails_the_call_and_cancels_it_on_the_server() -> None:
    async with Peer() as peer, peer.client() as client:
        call = start(client.health.check(CheckRequest()))
        await (await peer.receive()).answer()
        await call
        # There is a connection now: the next call is sent immediately.
        call = start(client.health.check(CheckRequest(), timeout=0.5))
        heard = await peer.receive()
        with pytest.raises(tidings.DeadlineExceeded):
            await call
        cancel = await peer.receive()
        assert cancel.header.kind == REQUEST_KIND_CANCEL
        assert cancel.header.call_id == heard.header.call_id
        with pytest.raises(TimeoutError):
            await client.health.check(CheckRequest(), timeout=0)


@pytest.fixture
def endless_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Credit is granted half a window at a time, however slow the machine is."""
    monkeypatch.setattr(CreditGrants, "PATIENCE", math.inf)


@pytest.mark.usefixtures("endless_patience")
async def test_a_stream_grants_credit_half_a_window_at_a_time() -> None:
    async with Peer() as peer, peer.client() as client:
        stream = client.health.watch(WatchRequest(), credit=4)
        heard = await peer.receive()
        assert heard.header.credit == 4
        message = WatchResponse(status=1).SerializeToString()  # type: ignore[arg-type]
        for _ in range(4):
            await heard.answer(message, has_message=True, end_of_stream=False)
        for _ in range(4):
            assert (await anext(stream)).status == SERVING_STATUS_SERVING
        grants = [await peer.receive(), await peer.receive()]
        assert [grant.header.kind for grant in grants] == [REQUEST_KIND_CREDIT] * 2
        assert [grant.header.credit for grant in grants] == [2, 2]
        await heard.answer(message, has_message=True, metadata={"total": "5"})
        assert [one.status async for one in stream] == [SERVING_STATUS_SERVING]
        assert stream.metadata == {"total": "5"}


async def test_a_slow_consumer_grants_less_credit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CreditGrants, "PATIENCE", 0.0)
    async with Peer() as peer, peer.client() as client:
        stream = client.health.watch(WatchRequest(), credit=16)
        heard = await peer.receive()
        await heard.answer(has_message=True, end_of_stream=False)
        await anext(stream)
        # Only for the case that nothing is granted.
        await stream.aclose()
        grant = (await peer.receive()).header
        assert (grant.kind, grant.credit) == (REQUEST_KIND_CREDIT, 1)


def test_credit_is_granted_after_half_a_window_or_after_a_while() -> None:
    grants = CreditGrants(16, now=100)
    assert [grants.consumed(now=100) for _ in range(9)] == [0] * 7 + [8, 0]
    assert grants.consumed(now=109.9) == 0
    assert grants.consumed(now=110) == 3
    assert grants.consumed(now=119.9) == 0
    # A consumer that needs as long as this for each message, all the time.
    assert [grants.consumed(now=120 + 7.5 * count) for count in range(5)] == [2, 0, 2, 0, 2]
    grants = CreditGrants(0, now=0)
    assert [grants.consumed(now=0) for _ in range(8)] == [0] * 7 + [8]


@pytest.mark.usefixtures("endless_patience")
@pytest.mark.parametrize("how", ["aclose", "break", "drop", "cancel"])
async def test_leaving_a_stream_cancels_it(how: str) -> None:
    async with Peer() as peer, peer.client() as client:
        stream = client.health.watch(WatchRequest())
        heard = await peer.receive()
        if how == "aclose":
            await stream.aclose()
        elif how == "break":
            await heard.answer(has_message=True, end_of_stream=False)
            async with stream:
                async for _ in stream:
                    break
        elif how == "drop":
            del stream
        else:
            reader = start(anext(stream))
            await asyncio.sleep(0)
            reader.cancel()
        cancel = await peer.receive()
        assert cancel.header.kind == REQUEST_KIND_CANCEL
        assert cancel.header.call_id == heard.header.call_id


async def test_a_server_that_exceeds_its_credit_is_stopped() -> None:
    async with Peer() as peer, peer.client() as client:
        stream = client.health.watch(WatchRequest())
        heard = await peer.receive()
        for _ in range(1025):
            await heard.answer(has_message=True, end_of_stream=False)
        assert (await peer.receive()).header.kind == REQUEST_KIND_CANCEL
        with pytest.raises(tidings.Internal, match="credit"):
            async for _ in stream:
                pass


async def test_only_safe_calls_are_retried() -> None:
    async with Peer() as peer, peer.client() as client:
        safe = start(client.health.check(CheckRequest()))
        keyed = start(client.records.modify_records(ModifyRecordsRequest(), idempotency_key="k"))
        unsafe = start(client.records.modify_records(ModifyRecordsRequest()))
        for _ in range(3):
            await peer.receive()
        await peer.lose_connection()
        with pytest.raises(tidings.Unavailable, match="whether the call took effect") as caught:
            await unsafe
        assert caught.value.error_info is not None
        assert caught.value.error_info.reason == "OUTCOME_UNKNOWN"
        heard = [await peer.receive(), await peer.receive()]
        assert {one.header.idempotency_key for one in heard} == {"", "k"}
        for one in heard:
            await one.answer()
        await safe
        await keyed


async def test_unavailable_is_retried_five_times() -> None:
    policy = tidings.RetryPolicy(first_pause_max=0.001, pause_max=0.001)
    async with Peer() as peer, peer.client(retry=policy) as client:
        call = start(client.health.check(CheckRequest()))
        for _ in range(5):
            await (await peer.receive()).answer(status=14, message="not now")
        with pytest.raises(tidings.Unavailable, match="not now"):
            await call
        call = start(client.records.modify_records(ModifyRecordsRequest()))
        await (await peer.receive()).answer(status=14, message="not now")
        with pytest.raises(tidings.Unavailable):
            await call


async def test_the_server_sets_the_retry_delay() -> None:
    async with Peer() as peer, peer.client() as client:
        loop = asyncio.get_running_loop()
        call = start(client.health.check(CheckRequest()))
        heard = await peer.receive()
        begin = loop.time()
        info = packed(RetryInfo(retry_delay=Duration(nanos=50_000_000)))
        await heard.answer(status=8, message="too many", details=[info])
        heard = await peer.receive()
        assert loop.time() - begin >= 0.05
        await heard.answer()
        await call


async def test_invalid_options_are_rejected_by_the_client() -> None:
    async with Peer() as peer, peer.client() as client:
        refused: list[dict[str, Any]] = [
            {"metadata": {"Upper": "x"}},
            {"metadata": {"": "x"}},
            {"idempotency_key": ""},
            {"idempotency_key": "x" * 65},
        ]
        for options in refused:
            with pytest.raises(tidings.InvalidArgument):
                await client.health.check(CheckRequest(), **options)
        for metadata in [{f"k{n}": "" for n in range(65)}, {"k": "x" * 8192}]:
            with pytest.raises(tidings.ResourceExhausted):
                await client.health.check(CheckRequest(), metadata=metadata)
        with pytest.raises(tidings.ResourceExhausted, match="bytes"):
            await client.health.check(CheckRequest(service="x" * (16 << 20)))


async def test_closing_fails_running_calls() -> None:
    async with Peer() as peer:
        client = peer.client()
        client.connect()
        call = start(client.health.check(CheckRequest()))
        await peer.receive()
        await client.aclose()
        with pytest.raises(tidings.Cancelled, match="closed"):
            await call
        with pytest.raises(RuntimeError, match="async with"):
            await client.health.check(CheckRequest())


async def test_connection_refused() -> None:
    port = ReservedPort()
    async with tidings.Client(port.endpoint, connect_timeout=0.1) as client:
        await refusal(client, tidings.Unavailable, "connection refused")
    with pytest.raises(tidings.InvalidArgument, match="cannot connect"):
        async with tidings.Client("nonsense"):
            pass


# Against a real server.


async def test_a_real_server_reports_missing_items(make_client: ClientMaker) -> None:
    async with make_client() as client:
        options = tidings.CallOptions()
        with pytest.raises(tidings.Unimplemented) as caught:
            await client.transport.unary_bytes("a.B/C", b"", options, is_safe=True)
        assert caught.value.error_info is not None
        assert caught.value.error_info.reason == "SERVICE_NOT_FOUND"
        with pytest.raises(tidings.NotFound):
            await client.health.check(CheckRequest(service="a.B"))
        info = await client.server.fetch_server_info(FetchServerInfoRequest())
        assert info.version == tidings.__version__
        status = (await anext(client.health.watch(WatchRequest()))).status
        assert status == SERVING_STATUS_SERVING


async def test_a_real_wait_does_not_go_beyond_the_deadline(make_client: ClientMaker) -> None:
    async with make_client() as client:
        request = FetchDatabaseChangesRequest(database_id=client.database_id())
        page = await client.records.fetch_database_changes(request)
        request.change_token = page.change_token
        request.max_wait.seconds = 60
        page = await client.records.fetch_database_changes(request, timeout=5)
        assert not page.changed_zone_ids


async def test_many_calls_at_once(make_client: ClientMaker) -> None:
    async with make_client() as client:
        request = FetchRecordsRequest(database_id=client.database_id())
        answers = await asyncio.gather(*(client.records.fetch_records(request) for _ in range(500)))
        assert len(answers) == 500


async def test_a_save_survives_a_server_that_is_killed(server: Server) -> None:
    async with server.client(user="ada") as client:
        database = client.database()
        await database.save(tidings.Record("Things", "t1", {"n": 0}))
        saves = [
            start(database.save(tidings.Record("Things", f"k{n}", {"n": n}))) for n in range(50)
        ]
        await asyncio.wait(saves, return_when=asyncio.FIRST_COMPLETED)
        server.kill()
        server.start()
        for record in await asyncio.gather(*saves):
            assert (await database.fetch(record.id)).change_tag == record.change_tag
        assert (await database.fetch("t1"))["n"] == 0
