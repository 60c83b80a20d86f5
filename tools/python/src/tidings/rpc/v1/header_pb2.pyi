from google.protobuf import any_pb2 as _any_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
REQUEST_KIND_CALL: RequestKind
REQUEST_KIND_CANCEL: RequestKind
REQUEST_KIND_CREDIT: RequestKind
REQUEST_KIND_UNSPECIFIED: RequestKind

class RequestHeader(_message.Message):
    __slots__ = ["call_id", "credit", "forwarded_key", "idempotency_key", "kind", "metadata", "method", "timeout_ms"]
    class MetadataEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    CREDIT_FIELD_NUMBER: _ClassVar[int]
    FORWARDED_KEY_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    call_id: int
    credit: int
    forwarded_key: int
    idempotency_key: str
    kind: RequestKind
    metadata: _containers.ScalarMap[str, str]
    method: str
    timeout_ms: int
    def __init__(self, call_id: _Optional[int] = ..., kind: _Optional[_Union[RequestKind, str]] = ..., method: _Optional[str] = ..., timeout_ms: _Optional[int] = ..., metadata: _Optional[_Mapping[str, str]] = ..., idempotency_key: _Optional[str] = ..., credit: _Optional[int] = ..., forwarded_key: _Optional[int] = ...) -> None: ...

class ResponseHeader(_message.Message):
    __slots__ = ["call_id", "details", "end_of_stream", "has_message", "message", "metadata", "status"]
    class MetadataEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    END_OF_STREAM_FIELD_NUMBER: _ClassVar[int]
    HAS_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    call_id: int
    details: _containers.RepeatedCompositeFieldContainer[_any_pb2.Any]
    end_of_stream: bool
    has_message: bool
    message: str
    metadata: _containers.ScalarMap[str, str]
    status: int
    def __init__(self, call_id: _Optional[int] = ..., status: _Optional[int] = ..., message: _Optional[str] = ..., details: _Optional[_Iterable[_Union[_any_pb2.Any, _Mapping]]] = ..., metadata: _Optional[_Mapping[str, str]] = ..., end_of_stream: bool = ..., has_message: bool = ...) -> None: ...

class RequestKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
