from google.protobuf import timestamp_pb2 as _timestamp_pb2
from tidings.v1 import database_pb2 as _database_pb2
from tidings.v1 import web_token_pb2 as _web_token_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class BeginSignInRequest(_message.Message):
    __slots__ = ["api_token", "client_address", "keep_signed_in"]
    API_TOKEN_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    KEEP_SIGNED_IN_FIELD_NUMBER: _ClassVar[int]
    api_token: str
    client_address: str
    keep_signed_in: bool
    def __init__(self, api_token: _Optional[str] = ..., keep_signed_in: bool = ..., client_address: _Optional[str] = ...) -> None: ...

class BeginSignInResponse(_message.Message):
    __slots__ = ["expires", "secret", "user_code"]
    EXPIRES_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    USER_CODE_FIELD_NUMBER: _ClassVar[int]
    expires: _timestamp_pb2.Timestamp
    secret: str
    user_code: str
    def __init__(self, secret: _Optional[str] = ..., user_code: _Optional[str] = ..., expires: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CompleteSignInRequest(_message.Message):
    __slots__ = ["secret"]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    secret: str
    def __init__(self, secret: _Optional[str] = ...) -> None: ...

class CompleteSignInResponse(_message.Message):
    __slots__ = ["expires", "pending", "web_auth_token"]
    EXPIRES_FIELD_NUMBER: _ClassVar[int]
    PENDING_FIELD_NUMBER: _ClassVar[int]
    WEB_AUTH_TOKEN_FIELD_NUMBER: _ClassVar[int]
    expires: _timestamp_pb2.Timestamp
    pending: bool
    web_auth_token: str
    def __init__(self, pending: bool = ..., web_auth_token: _Optional[str] = ..., expires: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class FetchSessionHandleRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class FetchSessionHandleResponse(_message.Message):
    __slots__ = ["session_handle"]
    SESSION_HANDLE_FIELD_NUMBER: _ClassVar[int]
    session_handle: str
    def __init__(self, session_handle: _Optional[str] = ...) -> None: ...

class FetchWebCredentialRequest(_message.Message):
    __slots__ = ["api_token", "server_key_id"]
    API_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SERVER_KEY_ID_FIELD_NUMBER: _ClassVar[int]
    api_token: str
    server_key_id: str
    def __init__(self, api_token: _Optional[str] = ..., server_key_id: _Optional[str] = ...) -> None: ...

class FetchWebCredentialResponse(_message.Message):
    __slots__ = ["allowed_origins", "callback_url", "container", "environment", "expires", "kind", "label", "public_key"]
    ALLOWED_ORIGINS_FIELD_NUMBER: _ClassVar[int]
    CALLBACK_URL_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_KEY_FIELD_NUMBER: _ClassVar[int]
    allowed_origins: _containers.RepeatedScalarFieldContainer[str]
    callback_url: str
    container: str
    environment: _database_pb2.Environment
    expires: _timestamp_pb2.Timestamp
    kind: _web_token_pb2.WebTokenKind
    label: str
    public_key: bytes
    def __init__(self, kind: _Optional[_Union[_web_token_pb2.WebTokenKind, str]] = ..., container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ..., allowed_origins: _Optional[_Iterable[str]] = ..., callback_url: _Optional[str] = ..., public_key: _Optional[bytes] = ..., label: _Optional[str] = ..., expires: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class RenewWebAuthTokenRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class RenewWebAuthTokenResponse(_message.Message):
    __slots__ = ["expires", "web_auth_token"]
    EXPIRES_FIELD_NUMBER: _ClassVar[int]
    WEB_AUTH_TOKEN_FIELD_NUMBER: _ClassVar[int]
    expires: _timestamp_pb2.Timestamp
    web_auth_token: str
    def __init__(self, web_auth_token: _Optional[str] = ..., expires: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...
