from tidings.v1 import database_pb2 as _database_pb2
from tidings.v1 import error_pb2 as _error_pb2
from tidings.v1 import record_pb2 as _record_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AcceptSharesRequest(_message.Message):
    __slots__ = ["urls"]
    URLS_FIELD_NUMBER: _ClassVar[int]
    urls: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, urls: _Optional[_Iterable[str]] = ...) -> None: ...

class AcceptSharesResponse(_message.Message):
    __slots__ = ["results"]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[ShareResult]
    def __init__(self, results: _Optional[_Iterable[_Union[ShareResult, _Mapping]]] = ...) -> None: ...

class FetchShareMetadataRequest(_message.Message):
    __slots__ = ["urls", "wants_root_record"]
    URLS_FIELD_NUMBER: _ClassVar[int]
    WANTS_ROOT_RECORD_FIELD_NUMBER: _ClassVar[int]
    urls: _containers.RepeatedScalarFieldContainer[str]
    wants_root_record: bool
    def __init__(self, urls: _Optional[_Iterable[str]] = ..., wants_root_record: bool = ...) -> None: ...

class FetchShareMetadataResponse(_message.Message):
    __slots__ = ["results"]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[ShareResult]
    def __init__(self, results: _Optional[_Iterable[_Union[ShareResult, _Mapping]]] = ...) -> None: ...

class FetchSharesRequest(_message.Message):
    __slots__ = ["container", "continuation", "environment", "limit"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    CONTINUATION_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    container: str
    continuation: bytes
    environment: _database_pb2.Environment
    limit: int
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ..., limit: _Optional[int] = ..., continuation: _Optional[bytes] = ...) -> None: ...

class FetchSharesResponse(_message.Message):
    __slots__ = ["continuation", "shares"]
    CONTINUATION_FIELD_NUMBER: _ClassVar[int]
    SHARES_FIELD_NUMBER: _ClassVar[int]
    continuation: bytes
    shares: _containers.RepeatedCompositeFieldContainer[ShareMetadata]
    def __init__(self, shares: _Optional[_Iterable[_Union[ShareMetadata, _Mapping]]] = ..., continuation: _Optional[bytes] = ...) -> None: ...

class RequestShareAccessRequest(_message.Message):
    __slots__ = ["urls"]
    URLS_FIELD_NUMBER: _ClassVar[int]
    urls: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, urls: _Optional[_Iterable[str]] = ...) -> None: ...

class RequestShareAccessResponse(_message.Message):
    __slots__ = ["results"]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[ShareAccessResult]
    def __init__(self, results: _Optional[_Iterable[_Union[ShareAccessResult, _Mapping]]] = ...) -> None: ...

class ShareAccessResult(_message.Message):
    __slots__ = ["error", "url"]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    error: _error_pb2.ItemError
    url: str
    def __init__(self, url: _Optional[str] = ..., error: _Optional[_Union[_error_pb2.ItemError, _Mapping]] = ...) -> None: ...

class ShareMetadata(_message.Message):
    __slots__ = ["container", "environment", "participant", "root_record", "root_record_name", "share", "zone_id"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    PARTICIPANT_FIELD_NUMBER: _ClassVar[int]
    ROOT_RECORD_FIELD_NUMBER: _ClassVar[int]
    ROOT_RECORD_NAME_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    ZONE_ID_FIELD_NUMBER: _ClassVar[int]
    container: str
    environment: _database_pb2.Environment
    participant: _record_pb2.Participant
    root_record: _record_pb2.Record
    root_record_name: str
    share: _record_pb2.Record
    zone_id: _database_pb2.ZoneID
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ..., zone_id: _Optional[_Union[_database_pb2.ZoneID, _Mapping]] = ..., share: _Optional[_Union[_record_pb2.Record, _Mapping]] = ..., root_record_name: _Optional[str] = ..., participant: _Optional[_Union[_record_pb2.Participant, _Mapping]] = ..., root_record: _Optional[_Union[_record_pb2.Record, _Mapping]] = ...) -> None: ...

class ShareResult(_message.Message):
    __slots__ = ["error", "metadata", "url"]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    error: _error_pb2.ItemError
    metadata: ShareMetadata
    url: str
    def __init__(self, url: _Optional[str] = ..., metadata: _Optional[_Union[ShareMetadata, _Mapping]] = ..., error: _Optional[_Union[_error_pb2.ItemError, _Mapping]] = ...) -> None: ...
