from google.protobuf import any_pb2 as _any_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
ENCODING_BINARY: Encoding
ENCODING_JSON: Encoding
ENCODING_UNSPECIFIED: Encoding
FEATURE_CANCEL: Feature
FEATURE_CURVE: Feature
FEATURE_DEADLINES: Feature
FEATURE_ENCRYPTED_VALUES: Feature
FEATURE_INBOX: Feature
FEATURE_JSON: Feature
FEATURE_RETRIES: Feature
FEATURE_SEALED_PUSHES: Feature
FEATURE_STREAMS: Feature
FEATURE_UNKNOWN_FIELDS: Feature
FEATURE_UNSPECIFIED: Feature

class CallResult(_message.Message):
    __slots__ = ["details", "message", "metadata", "responses", "status"]
    class MetadataEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    details: _containers.RepeatedCompositeFieldContainer[_any_pb2.Any]
    message: str
    metadata: _containers.ScalarMap[str, str]
    responses: _containers.RepeatedScalarFieldContainer[bytes]
    status: int
    def __init__(self, status: _Optional[int] = ..., message: _Optional[str] = ..., details: _Optional[_Iterable[_Union[_any_pb2.Any, _Mapping]]] = ..., metadata: _Optional[_Mapping[str, str]] = ..., responses: _Optional[_Iterable[bytes]] = ...) -> None: ...

class Connect(_message.Message):
    __slots__ = ["device", "endpoint", "public_key", "secret_key", "server_key", "user"]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    ENDPOINT_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_KEY_FIELD_NUMBER: _ClassVar[int]
    SECRET_KEY_FIELD_NUMBER: _ClassVar[int]
    SERVER_KEY_FIELD_NUMBER: _ClassVar[int]
    USER_FIELD_NUMBER: _ClassVar[int]
    device: str
    endpoint: str
    public_key: str
    secret_key: str
    server_key: str
    user: str
    def __init__(self, endpoint: _Optional[str] = ..., server_key: _Optional[str] = ..., public_key: _Optional[str] = ..., secret_key: _Optional[str] = ..., user: _Optional[str] = ..., device: _Optional[str] = ...) -> None: ...

class Describe(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class Description(_message.Message):
    __slots__ = ["features", "name"]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    features: _containers.RepeatedScalarFieldContainer[Feature]
    name: str
    def __init__(self, name: _Optional[str] = ..., features: _Optional[_Iterable[_Union[Feature, str]]] = ...) -> None: ...

class Invoke(_message.Message):
    __slots__ = ["cancel_after_messages", "cancel_after_ms", "credit", "idempotency_key", "is_safe", "is_stream", "metadata", "method", "request", "timeout_ms"]
    class MetadataEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    CANCEL_AFTER_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    CANCEL_AFTER_MS_FIELD_NUMBER: _ClassVar[int]
    CREDIT_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    IS_SAFE_FIELD_NUMBER: _ClassVar[int]
    IS_STREAM_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    cancel_after_messages: int
    cancel_after_ms: int
    credit: int
    idempotency_key: str
    is_safe: bool
    is_stream: bool
    metadata: _containers.ScalarMap[str, str]
    method: str
    request: bytes
    timeout_ms: int
    def __init__(self, method: _Optional[str] = ..., request: _Optional[bytes] = ..., metadata: _Optional[_Mapping[str, str]] = ..., timeout_ms: _Optional[int] = ..., idempotency_key: _Optional[str] = ..., is_stream: bool = ..., credit: _Optional[int] = ..., cancel_after_messages: _Optional[int] = ..., cancel_after_ms: _Optional[int] = ..., is_safe: bool = ...) -> None: ...

class NotificationList(_message.Message):
    __slots__ = ["notifications"]
    NOTIFICATIONS_FIELD_NUMBER: _ClassVar[int]
    notifications: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, notifications: _Optional[_Iterable[bytes]] = ...) -> None: ...

class OpenPush(_message.Message):
    __slots__ = ["channel_id", "key", "push"]
    CHANNEL_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    PUSH_FIELD_NUMBER: _ClassVar[int]
    channel_id: str
    key: bytes
    push: bytes
    def __init__(self, push: _Optional[bytes] = ..., key: _Optional[bytes] = ..., channel_id: _Optional[str] = ...) -> None: ...

class OpenValue(_message.Message):
    __slots__ = ["database_id", "field", "key_ring", "record_id", "user", "value"]
    DATABASE_ID_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    KEY_RING_FIELD_NUMBER: _ClassVar[int]
    RECORD_ID_FIELD_NUMBER: _ClassVar[int]
    USER_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    database_id: bytes
    field: str
    key_ring: bytes
    record_id: bytes
    user: str
    value: bytes
    def __init__(self, key_ring: _Optional[bytes] = ..., value: _Optional[bytes] = ..., database_id: _Optional[bytes] = ..., record_id: _Optional[bytes] = ..., field: _Optional[str] = ..., user: _Optional[str] = ...) -> None: ...

class RoundTrip(_message.Message):
    __slots__ = ["message_type", "payload", "to"]
    FROM_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_TYPE_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    message_type: str
    payload: bytes
    to: Encoding
    def __init__(self, message_type: _Optional[str] = ..., payload: _Optional[bytes] = ..., to: _Optional[_Union[Encoding, str]] = ..., **kwargs) -> None: ...

class StartInbox(_message.Message):
    __slots__ = ["container", "environment", "position"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    container: str
    environment: int
    position: bytes
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[int] = ..., position: _Optional[bytes] = ...) -> None: ...

class StopInbox(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class TakeNotifications(_message.Message):
    __slots__ = ["count", "timeout_ms"]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    count: int
    timeout_ms: int
    def __init__(self, count: _Optional[int] = ..., timeout_ms: _Optional[int] = ...) -> None: ...

class Task(_message.Message):
    __slots__ = ["connect", "describe", "invoke", "open_push", "open_value", "round_trip", "start_inbox", "stop_inbox", "take_notifications"]
    CONNECT_FIELD_NUMBER: _ClassVar[int]
    DESCRIBE_FIELD_NUMBER: _ClassVar[int]
    INVOKE_FIELD_NUMBER: _ClassVar[int]
    OPEN_PUSH_FIELD_NUMBER: _ClassVar[int]
    OPEN_VALUE_FIELD_NUMBER: _ClassVar[int]
    ROUND_TRIP_FIELD_NUMBER: _ClassVar[int]
    START_INBOX_FIELD_NUMBER: _ClassVar[int]
    STOP_INBOX_FIELD_NUMBER: _ClassVar[int]
    TAKE_NOTIFICATIONS_FIELD_NUMBER: _ClassVar[int]
    connect: Connect
    describe: Describe
    invoke: Invoke
    open_push: OpenPush
    open_value: OpenValue
    round_trip: RoundTrip
    start_inbox: StartInbox
    stop_inbox: StopInbox
    take_notifications: TakeNotifications
    def __init__(self, describe: _Optional[_Union[Describe, _Mapping]] = ..., round_trip: _Optional[_Union[RoundTrip, _Mapping]] = ..., open_push: _Optional[_Union[OpenPush, _Mapping]] = ..., open_value: _Optional[_Union[OpenValue, _Mapping]] = ..., connect: _Optional[_Union[Connect, _Mapping]] = ..., invoke: _Optional[_Union[Invoke, _Mapping]] = ..., start_inbox: _Optional[_Union[StartInbox, _Mapping]] = ..., take_notifications: _Optional[_Union[TakeNotifications, _Mapping]] = ..., stop_inbox: _Optional[_Union[StopInbox, _Mapping]] = ...) -> None: ...

class TaskResult(_message.Message):
    __slots__ = ["call", "connected", "description", "encoded", "failed", "notifications", "opened", "position", "refused", "started", "unsupported"]
    CALL_FIELD_NUMBER: _ClassVar[int]
    CONNECTED_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    ENCODED_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATIONS_FIELD_NUMBER: _ClassVar[int]
    OPENED_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    UNSUPPORTED_FIELD_NUMBER: _ClassVar[int]
    call: CallResult
    connected: bool
    description: Description
    encoded: bytes
    failed: str
    notifications: NotificationList
    opened: bytes
    position: bytes
    refused: str
    started: bool
    unsupported: str
    def __init__(self, description: _Optional[_Union[Description, _Mapping]] = ..., encoded: _Optional[bytes] = ..., opened: _Optional[bytes] = ..., connected: bool = ..., call: _Optional[_Union[CallResult, _Mapping]] = ..., started: bool = ..., notifications: _Optional[_Union[NotificationList, _Mapping]] = ..., position: _Optional[bytes] = ..., refused: _Optional[str] = ..., unsupported: _Optional[str] = ..., failed: _Optional[str] = ...) -> None: ...

class Feature(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class Encoding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
