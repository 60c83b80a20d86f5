from tidings.v1 import error_pb2 as _error_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

ACCOUNT_STATUS_AVAILABLE: AccountStatus
ACCOUNT_STATUS_NO_ACCOUNT: AccountStatus
ACCOUNT_STATUS_RESTRICTED: AccountStatus
ACCOUNT_STATUS_TEMPORARILY_UNAVAILABLE: AccountStatus
ACCOUNT_STATUS_UNSPECIFIED: AccountStatus
DESCRIPTOR: _descriptor.FileDescriptor

class FetchAccountStatusRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class FetchAccountStatusResponse(_message.Message):
    __slots__ = ["key_expires_ms", "quota", "roles", "status", "usage", "user_record_name"]
    KEY_EXPIRES_MS_FIELD_NUMBER: _ClassVar[int]
    QUOTA_FIELD_NUMBER: _ClassVar[int]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    USER_RECORD_NAME_FIELD_NUMBER: _ClassVar[int]
    key_expires_ms: int
    quota: Quota
    roles: _containers.RepeatedScalarFieldContainer[str]
    status: AccountStatus
    usage: _containers.RepeatedCompositeFieldContainer[Usage]
    user_record_name: str
    def __init__(self, status: _Optional[_Union[AccountStatus, str]] = ..., user_record_name: _Optional[str] = ..., roles: _Optional[_Iterable[str]] = ..., usage: _Optional[_Iterable[_Union[Usage, _Mapping]]] = ..., quota: _Optional[_Union[Quota, _Mapping]] = ..., key_expires_ms: _Optional[int] = ...) -> None: ...

class FetchUserRecordIDRequest(_message.Message):
    __slots__ = ["container"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    container: str
    def __init__(self, container: _Optional[str] = ...) -> None: ...

class FetchUserRecordIDResponse(_message.Message):
    __slots__ = ["user_record_name"]
    USER_RECORD_NAME_FIELD_NUMBER: _ClassVar[int]
    user_record_name: str
    def __init__(self, user_record_name: _Optional[str] = ...) -> None: ...

class FetchUsersRequest(_message.Message):
    __slots__ = ["container", "user_record_names"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    USER_RECORD_NAMES_FIELD_NUMBER: _ClassVar[int]
    container: str
    user_record_names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, container: _Optional[str] = ..., user_record_names: _Optional[_Iterable[str]] = ...) -> None: ...

class FetchUsersResponse(_message.Message):
    __slots__ = ["results"]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[UserResult]
    def __init__(self, results: _Optional[_Iterable[_Union[UserResult, _Mapping]]] = ...) -> None: ...

class Quota(_message.Message):
    __slots__ = ["bytes_max", "calls_per_second_max", "connections_max", "records_max", "subscriptions_max"]
    BYTES_MAX_FIELD_NUMBER: _ClassVar[int]
    CALLS_PER_SECOND_MAX_FIELD_NUMBER: _ClassVar[int]
    CONNECTIONS_MAX_FIELD_NUMBER: _ClassVar[int]
    RECORDS_MAX_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTIONS_MAX_FIELD_NUMBER: _ClassVar[int]
    bytes_max: int
    calls_per_second_max: int
    connections_max: int
    records_max: int
    subscriptions_max: int
    def __init__(self, records_max: _Optional[int] = ..., bytes_max: _Optional[int] = ..., calls_per_second_max: _Optional[int] = ..., subscriptions_max: _Optional[int] = ..., connections_max: _Optional[int] = ...) -> None: ...

class Usage(_message.Message):
    __slots__ = ["bytes", "container", "records", "subscriptions"]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTIONS_FIELD_NUMBER: _ClassVar[int]
    bytes: int
    container: str
    records: int
    subscriptions: int
    def __init__(self, container: _Optional[str] = ..., records: _Optional[int] = ..., bytes: _Optional[int] = ..., subscriptions: _Optional[int] = ...) -> None: ...

class User(_message.Message):
    __slots__ = ["display_name", "user_record_name"]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    USER_RECORD_NAME_FIELD_NUMBER: _ClassVar[int]
    display_name: str
    user_record_name: str
    def __init__(self, user_record_name: _Optional[str] = ..., display_name: _Optional[str] = ...) -> None: ...

class UserResult(_message.Message):
    __slots__ = ["error", "user", "user_record_name"]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    USER_FIELD_NUMBER: _ClassVar[int]
    USER_RECORD_NAME_FIELD_NUMBER: _ClassVar[int]
    error: _error_pb2.ItemError
    user: User
    user_record_name: str
    def __init__(self, user_record_name: _Optional[str] = ..., user: _Optional[_Union[User, _Mapping]] = ..., error: _Optional[_Union[_error_pb2.ItemError, _Mapping]] = ...) -> None: ...

class AccountStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
