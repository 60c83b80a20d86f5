from tidings.v1 import database_pb2 as _database_pb2
from tidings.v1 import record_pb2 as _record_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DownloadAssetRequest(_message.Message):
    __slots__ = ["asset", "database_id", "length", "offset", "user_name"]
    ASSET_FIELD_NUMBER: _ClassVar[int]
    DATABASE_ID_FIELD_NUMBER: _ClassVar[int]
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    USER_NAME_FIELD_NUMBER: _ClassVar[int]
    asset: _record_pb2.Asset
    database_id: _database_pb2.DatabaseID
    length: int
    offset: int
    user_name: str
    def __init__(self, database_id: _Optional[_Union[_database_pb2.DatabaseID, _Mapping]] = ..., asset: _Optional[_Union[_record_pb2.Asset, _Mapping]] = ..., offset: _Optional[int] = ..., length: _Optional[int] = ..., user_name: _Optional[str] = ...) -> None: ...

class DownloadAssetResponse(_message.Message):
    __slots__ = ["chunk", "offset"]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    chunk: bytes
    offset: int
    def __init__(self, offset: _Optional[int] = ..., chunk: _Optional[bytes] = ...) -> None: ...

class UploadAssetRequest(_message.Message):
    __slots__ = ["asset", "chunk", "database_id", "offset"]
    ASSET_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    DATABASE_ID_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    asset: _record_pb2.Asset
    chunk: bytes
    database_id: _database_pb2.DatabaseID
    offset: int
    def __init__(self, database_id: _Optional[_Union[_database_pb2.DatabaseID, _Mapping]] = ..., asset: _Optional[_Union[_record_pb2.Asset, _Mapping]] = ..., offset: _Optional[int] = ..., chunk: _Optional[bytes] = ...) -> None: ...

class UploadAssetResponse(_message.Message):
    __slots__ = ["complete", "offset"]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    complete: bool
    offset: int
    def __init__(self, offset: _Optional[int] = ..., complete: bool = ...) -> None: ...
