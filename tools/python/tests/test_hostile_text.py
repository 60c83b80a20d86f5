"""Text with U+0000, which not every database can store, in each place of each call."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from server import Server

import tidings
from tidings.rpc.method import MethodDescriptor
from tidings.rpc.options import CallOptions
from tidings.rpc.status import StatusCode
from tidings.v1 import (
    account_service_rpc,
    admin_service_rpc,
    asset_service_rpc,
    notification_service_rpc,
    record_service_rpc,
    schema_service_rpc,
    share_service_rpc,
    subscription_service_rpc,
    zone_service_rpc,
)

HOSTILE = "a\x00b"
DEPTH = 5
"""Messages within messages that are filled; trees of predicates have no end."""

MODULES = (
    account_service_rpc,
    admin_service_rpc,
    asset_service_rpc,
    notification_service_rpc,
    record_service_rpc,
    schema_service_rpc,
    share_service_rpc,
    subscription_service_rpc,
    zone_service_rpc,
)

Path = tuple[str, ...]
"""The fields that lead to a text."""


def methods() -> list[MethodDescriptor[Any, Any]]:
    """The unary methods of all services that use the store."""
    found = []
    for module in MODULES:
        for name, members in vars(module).items():
            if name.endswith("Methods"):
                values = vars(members).values()
                found += [value for value in values if isinstance(value, MethodDescriptor)]
    return [method for method in found if not method.is_streaming]


def text_paths(message: Descriptor, depth: int = DEPTH) -> Iterator[Path]:
    """The paths of all texts in a message, also those in maps and lists."""
    for field in message.fields:
        if field.type == FieldDescriptor.TYPE_STRING:
            yield (field.name,)
        elif field.message_type is not None and depth > 0:
            for path in text_paths(field.message_type, depth - 1):
                yield (field.name, *path)


def fill(message: Message, path: Path) -> None:
    """Sets the text at a path, which is hostile; texts beside the path get what is often valid."""
    for field in message.DESCRIPTOR.fields:
        if field.name == path[0]:
            _fill_hostile(message, field, path[1:])
        elif field.containing_oneof is not None:
            continue
        elif field.type == FieldDescriptor.TYPE_STRING and field.is_repeated:
            getattr(message, field.name).append("a")
        elif field.type == FieldDescriptor.TYPE_STRING:
            setattr(message, field.name, "a")
        elif field.type == FieldDescriptor.TYPE_ENUM and not field.is_repeated:
            setattr(message, field.name, 1)


def _fill_hostile(message: Message, field: Any, rest: Path) -> None:
    target = getattr(message, field.name)
    if field.message_type is None:
        if field.is_repeated:
            target.append(HOSTILE)
        else:
            setattr(message, field.name, HOSTILE)
    elif not field.message_type.GetOptions().map_entry:
        fill(target.add() if field.is_repeated else target, rest)
    elif field.message_type.fields_by_name["value"].message_type is not None:
        entry = target[HOSTILE if rest == ("key",) else "name"]
        if rest[0] == "value":
            fill(entry, rest[1:])
    else:
        target[HOSTILE if rest == ("key",) else "name"] = HOSTILE


CALLS = [
    pytest.param(method, id=method.full_name.removeprefix("tidings.v1.")) for method in methods()
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of these tests alone: they erase and reset."""
    with Server(tmp_path_factory.mktemp("hostile")) as server:
        yield server


@pytest.mark.parametrize("method", CALLS)
async def test_a_text_fails_its_call_alone(
    server: Server, method: MethodDescriptor[Any, Any]
) -> None:
    paths = list(text_paths(method.request_type.DESCRIPTOR))
    async with server.client(user="ada") as client, server.client(user="bob") as bob:

        async def call(path: Path) -> None:
            request = method.request_type()
            fill(request, path)
            try:
                await client.transport.unary(method, request, CallOptions())
            except tidings.RPCError as error:
                expected = {StatusCode.INTERNAL, StatusCode.UNKNOWN, StatusCode.UNAVAILABLE}
                assert error.code not in expected, f"{path}: {error}"

        async def save(number: int) -> None:
            record = tidings.Record("Things", f"t{number}")
            await bob.database().save(record, policy=tidings.SavePolicy.ALL_KEYS)

        # Calls that arrive together are written in one transaction.
        beside = [save(number) for number in range(len(paths))]
        await asyncio.gather(*(call(path) for path in paths), *beside)


async def test_metadata_and_idempotency_keys(server: Server) -> None:
    async with server.client(user="ada") as client, server.client(user="bob") as bob:

        async def call(options: CallOptions) -> None:
            method = record_service_rpc.RecordServiceMethods.MODIFY_RECORDS
            await client.transport.unary(method, method.request_type(), options)

        await asyncio.gather(
            call(CallOptions(idempotency_key=HOSTILE)),
            bob.database().save(tidings.Record("Things")),
        )
        for name in ("tidings-device", "tidings-user"):
            with pytest.raises(tidings.RPCError) as failure:
                await call(CallOptions(metadata={name: HOSTILE}))
            assert failure.value.code is StatusCode.INVALID_ARGUMENT
