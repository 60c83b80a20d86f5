"""Calls that the runner requests."""

from __future__ import annotations

import asyncio

from google.protobuf.any_pb2 import Any

from tidings.conformance.v1.conformance_pb2 import CallResult, Invoke
from tidings.rpc.connection import Connection
from tidings.rpc.errors import Cancelled, RPCError
from tidings.rpc.options import CallOptions
from tidings.rpc.status import StatusCode


async def invoke(connection: Connection, task: Invoke) -> CallResult:
    """Makes a call, and collects its responses and status."""
    result = CallResult()
    call = asyncio.ensure_future(_collect(connection, task, result))
    alarm = None
    if task.cancel_after_ms:
        loop = asyncio.get_running_loop()
        alarm = loop.call_later(task.cancel_after_ms / 1000, call.cancel)
    try:
        await call
    except asyncio.CancelledError:
        if not call.cancelled():
            raise
        _fail(result, Cancelled(StatusCode.CANCELLED, "the call was cancelled"))
    except RPCError as error:
        _fail(result, error)
    finally:
        if alarm is not None:
            alarm.cancel()
    return result


async def _collect(connection: Connection, task: Invoke, result: CallResult) -> None:
    options = CallOptions(
        timeout=task.timeout_ms / 1000 or None,
        metadata=dict(task.metadata),
        idempotency_key=task.idempotency_key or None,
        credit=task.credit,
    )
    is_safe = task.is_safe or bool(task.idempotency_key)
    if not task.is_stream:
        answer = await connection.unary_bytes(task.method, task.request, options, is_safe=is_safe)
        result.responses.append(answer.body)
        result.metadata.update(answer.metadata)
        return
    stream = connection.server_streaming_bytes(task.method, task.request, options, is_safe=is_safe)
    async with stream:
        async for message in stream:
            result.responses.append(message)
            if len(result.responses) == task.cancel_after_messages:
                raise Cancelled(
                    StatusCode.CANCELLED, f"cancelled after {len(result.responses)} messages"
                )
    result.metadata.update(stream.metadata)


def _fail(result: CallResult, error: RPCError) -> None:
    result.status = error.code
    result.message = error.message
    result.details.extend(
        Any(type_url=detail.type_url, value=detail.value) for detail in error.details
    )
    result.metadata.update(error.metadata)
