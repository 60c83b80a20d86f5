"""The calls that are counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import zmq
from google.protobuf.message import Message
from tidings.rpc.v1.header_pb2 import RequestHeader, ResponseHeader
from tidings.v1 import database_pb2 as databases
from tidings.v1 import notification_pb2 as notifications
from tidings.v1 import notification_service_pb2 as notification_service
from tidings.v1 import predicate_pb2 as predicates
from tidings.v1 import record_pb2 as records
from tidings.v1 import record_service_pb2 as record_service
from tidings.v1 import schema_service_pb2 as schema_service
from tidings.v1 import subscription_service_pb2 as subscription_service

from server import Endpoints

CONTAINER = "cost"
DATABASE = databases.DatabaseID(
    container=CONTAINER,
    environment=databases.ENVIRONMENT_DEVELOPMENT,
    scope=databases.DATABASE_SCOPE_PRIVATE,
)
RECORDS = 2_000
"""Records that exist before the first call."""
UPDATED = 512
"""Records that are updated."""
PAGE = 50
"""Records that a query finds."""
DISTRICTS = RECORDS // PAGE
_PREPARED_PER_CALL = 100
TIMEOUT_MILLISECONDS = 300_000
# A number that visits all records before it repeats one.
_STRIDE = 7_919


@dataclass(frozen=True)
class Call:
    """A request, and what it is answered with."""

    method: str
    request: Message
    answer: type[Message]


class Caller:
    """A connection of a device of the one user."""

    def __init__(
        self, context: zmq.Context[zmq.Socket[bytes]], endpoints: Endpoints, device: str
    ) -> None:
        self._socket = context.socket(zmq.DEALER)
        self._socket.setsockopt(zmq.RCVTIMEO, TIMEOUT_MILLISECONDS)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.connect(endpoints.rpc)
        self._metadata = {"tidings-user": "counted", "tidings-device": device}
        # As many bytes for the number of each call.
        self._number = 1 << 21

    def send(self, call: Call) -> None:
        """Sends a request."""
        self._number += 1
        header = RequestHeader(call_id=self._number, method=call.method, metadata=self._metadata)
        self._socket.send_multipart([_bytes(header), _bytes(call.request)])

    def receive(self, call: Call) -> Any:
        """Takes an answer, which must not be an error."""
        header, body = self._socket.recv_multipart()
        status = ResponseHeader.FromString(header)
        answer: Any = call.answer.FromString(body)
        errors = [one for one in getattr(answer, "results", []) if one.HasField("error")]
        if status.status != 0 or errors:
            raise RuntimeError(f"{call.method} failed: {status} {errors[:1]}")
        return answer

    def call(self, call: Call) -> Any:
        """Makes a call alone."""
        self.send(call)
        return self.receive(call)

    def close(self) -> None:
        """Ends the connection."""
        self._socket.close()


@contextmanager
def caller(
    context: zmq.Context[zmq.Socket[bytes]], endpoints: Endpoints, device: str = "generator"
) -> Iterator[Caller]:
    """A connection for a while."""
    made = Caller(context, endpoints, device)
    try:
        yield made
    finally:
        made.close()


# What is called.


def save_new(number: int) -> Call:
    """A record that does not exist."""
    return _save([_record(number, "House")])


def save_update(number: int) -> Call:
    """New values of a record that exists."""
    policy = record_service.SAVE_POLICY_CHANGED_KEYS
    return _save([_updated(number * _STRIDE % UPDATED, serial=number)], policy)


def save_fired(number: int) -> Call:
    """A record that does not exist, and fires a subscription."""
    return _save([_record(number, "WatchedHouse")])


def fetch(number: int) -> Call:
    """A record that exists."""
    name = _name(number * _STRIDE % RECORDS)
    request = record_service.FetchRecordsRequest(
        database_id=DATABASE, record_ids=[databases.RecordID(record_name=name)]
    )
    return Call(
        "tidings.v1.RecordService/FetchRecords", request, record_service.FetchRecordsResponse
    )


def query(number: int) -> Call:
    """A page of the records with one value of an indexed field."""
    answer = record_service.QueryRecordsResponse
    return Call("tidings.v1.RecordService/QueryRecords", _query_request(number), answer)


# What the store has before.


def prepare(
    context: zmq.Context[zmq.Socket[bytes]], endpoints: Endpoints, pause: Callable[[], None]
) -> None:
    """Saves records, as many of a type with an index, and a subscription."""
    with caller(context, endpoints) as generator:
        for first in range(0, RECORDS, _PREPARED_PER_CALL):
            numbers = range(first, first + _PREPARED_PER_CALL)
            generator.call(_save([_record(number, "House") for number in numbers]))
            generator.call(_save([_villa(number) for number in numbers]))
        # The type of a subscription exists.
        generator.call(_save([_record(2 * RECORDS, "WatchedHouse")]))
        schema = generator.call(_fetch_schema()).text
        schema = re.sub(r"district( +)STRING", r"district\1STRING QUERYABLE", schema)
        generator.call(_apply_schema(schema))
        while generator.call(_explanation()).index_field != "district":
            pause()
    with caller(context, endpoints, "subscriber") as subscriber:
        subscriber.call(_subscription())


def prepare_updates(context: zmq.Context[zmq.Socket[bytes]], endpoints: Endpoints) -> None:
    """Saves the records that are updated, on the server that counts.

    Their times are those of its clock, so an update changes no size, and no size is written.
    """
    with caller(context, endpoints) as generator:
        for first in range(0, UPDATED, 64):
            generator.call(_save([_updated(number) for number in range(first, first + 64)]))


def topic(context: zmq.Context[zmq.Socket[bytes]], endpoints: Endpoints) -> bytes:
    """Where the pushes of the subscription are published."""
    request = notification_service.RegisterDeviceRequest(
        container=CONTAINER, environment=DATABASE.environment
    )
    answer = notification_service.RegisterDeviceResponse
    with caller(context, endpoints, "subscriber") as subscriber:
        registration = subscriber.call(
            Call("tidings.v1.NotificationService/RegisterDevice", request, answer)
        )
    return bytes(registration.channels[0].topic)


def _fetch_schema() -> Call:
    request = schema_service.FetchSchemaRequest(
        container=CONTAINER, environment=DATABASE.environment
    )
    return Call("tidings.v1.SchemaService/FetchSchema", request, schema_service.FetchSchemaResponse)


def _apply_schema(text: str) -> Call:
    request = schema_service.ApplySchemaRequest(container=CONTAINER, text=text)
    return Call("tidings.v1.SchemaService/ApplySchema", request, schema_service.ApplySchemaResponse)


def _query_request(number: int) -> record_service.QueryRecordsRequest:
    predicate = predicates.Predicate(text="district = %@", arguments=[_text(_district(number))])
    return record_service.QueryRecordsRequest(
        database_id=DATABASE, record_type="Villa", predicate=predicate, limit=PAGE
    )


def _explanation() -> Call:
    request = record_service.ExplainQueryRequest(query=_query_request(0))
    return Call(
        "tidings.v1.RecordService/ExplainQuery", request, record_service.ExplainQueryResponse
    )


def _subscription() -> Call:
    subscription = notifications.Subscription(
        subscription_id="counted",
        type=notifications.SUBSCRIPTION_TYPE_QUERY,
        record_type="WatchedHouse",
        predicate=predicates.Predicate(text="bedrooms == 4 AND price > 0"),
        fires_on_record_creation=True,
        notification_info=notifications.NotificationInfo(
            alert_body="A house", desired_keys=["price"]
        ),
    )
    request = subscription_service.ModifySubscriptionsRequest(
        database_id=DATABASE, subscriptions_to_save=[subscription]
    )
    answer = subscription_service.ModifySubscriptionsResponse
    return Call("tidings.v1.SubscriptionService/ModifySubscriptions", request, answer)


# Records.


def _save(
    saved: list[records.Record],
    policy: record_service.SavePolicy = record_service.SAVE_POLICY_UNSPECIFIED,
) -> Call:
    request = record_service.ModifyRecordsRequest(
        database_id=DATABASE, records_to_save=saved, save_policy=policy
    )
    return Call(
        "tidings.v1.RecordService/ModifyRecords", request, record_service.ModifyRecordsResponse
    )


def _record(number: int, record_type: str, serial: int | None = None) -> records.Record:
    """A record of 8 fields and about 300 bytes, as those of tidings-bench."""
    text, whole = _text, _whole
    fields = {
        "address": text("17 Marrow Lane, Hillsborough"),
        "city": text("city-0001"),
        "price": whole(315_000),
        "bedrooms": whole(4),
        "area": records.FieldValue(double_value=182.5),
        "listing": text(f"listing-{number if serial is None else serial:010}"),
        "about": text("a" * 100),
        "built": whole(1974),
    }
    record_id = databases.RecordID(record_name=_name(number))
    return records.Record(record_id=record_id, record_type=record_type, fields=fields)


def _updated(number: int, serial: int = 0) -> records.Record:
    return _record(3 * RECORDS + number, "House", serial=serial)


def _villa(number: int) -> records.Record:
    """The same with a district."""
    record = _record(RECORDS + number, "Villa")
    record.fields["district"].CopyFrom(_text(_district(number // PAGE)))
    return record


def _text(value: str) -> records.FieldValue:
    return records.FieldValue(string_value=value)


def _whole(value: int) -> records.FieldValue:
    return records.FieldValue(int64_value=value)


def _name(number: int) -> str:
    return f"house-{number:010}"


def _district(number: int) -> str:
    return f"district-{number % DISTRICTS:04}"


def _bytes(message: Message) -> bytes:
    # Fields of a map are in the same order in each run.
    return message.SerializeToString(deterministic=True)
