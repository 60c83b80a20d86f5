from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidings.v1 import database_pb2 as _database_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
WEB_TOKEN_KIND_API_TOKEN: WebTokenKind
WEB_TOKEN_KIND_SERVER_KEY: WebTokenKind
WEB_TOKEN_KIND_SESSION: WebTokenKind
WEB_TOKEN_KIND_UNSPECIFIED: WebTokenKind

class WebToken(_message.Message):
    __slots__ = ["allowed_origins", "api_token_id", "callback_url", "container", "created", "environment", "expires", "id", "keep_signed_in", "key_id", "kind", "label", "public_key", "revoked", "user_name"]
    ALLOWED_ORIGINS_FIELD_NUMBER: _ClassVar[int]
    API_TOKEN_ID_FIELD_NUMBER: _ClassVar[int]
    CALLBACK_URL_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    CREATED_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    KEEP_SIGNED_IN_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_KEY_FIELD_NUMBER: _ClassVar[int]
    REVOKED_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    allowed_origins: _containers.RepeatedScalarFieldContainer[str]
    api_token_id: int
    callback_url: str
    container: str
    created: _timestamp_pb2.Timestamp
    environment: _database_pb2.Environment
    expires: _timestamp_pb2.Timestamp
    id: int
    keep_signed_in: bool
    key_id: str
    kind: WebTokenKind
    label: str
    public_key: bytes
    revoked: _timestamp_pb2.Timestamp
    user_name: str
    def __init__(self, id: _Optional[int] = ..., kind: _Optional[_Union[WebTokenKind, str]] = ..., container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ..., label: _Optional[str] = ..., user_name: _Optional[str] = ..., allowed_origins: _Optional[_Iterable[str]] = ..., callback_url: _Optional[str] = ..., api_token_id: _Optional[int] = ..., public_key: _Optional[bytes] = ..., key_id: _Optional[str] = ..., created: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., expires: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., revoked: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., keep_signed_in: bool = ...) -> None: ...

class WebTokenKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
