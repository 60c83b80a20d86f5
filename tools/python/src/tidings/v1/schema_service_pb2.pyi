from tidings.v1 import database_pb2 as _database_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
INDEX_STATE_BUILDING: IndexState
INDEX_STATE_READY: IndexState
INDEX_STATE_UNSPECIFIED: IndexState
SCHEMA_CHANGE_KIND_ADDED: SchemaChangeKind
SCHEMA_CHANGE_KIND_CHANGED: SchemaChangeKind
SCHEMA_CHANGE_KIND_REMOVED: SchemaChangeKind
SCHEMA_CHANGE_KIND_UNSPECIFIED: SchemaChangeKind

class ApplySchemaRequest(_message.Message):
    __slots__ = ["container", "dry_run", "text"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    container: str
    dry_run: bool
    text: str
    def __init__(self, container: _Optional[str] = ..., text: _Optional[str] = ..., dry_run: bool = ...) -> None: ...

class ApplySchemaResponse(_message.Message):
    __slots__ = ["changes"]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    changes: _containers.RepeatedCompositeFieldContainer[SchemaChange]
    def __init__(self, changes: _Optional[_Iterable[_Union[SchemaChange, _Mapping]]] = ...) -> None: ...

class DeploySchemaRequest(_message.Message):
    __slots__ = ["container", "dry_run"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    container: str
    dry_run: bool
    def __init__(self, container: _Optional[str] = ..., dry_run: bool = ...) -> None: ...

class DeploySchemaResponse(_message.Message):
    __slots__ = ["changes"]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    changes: _containers.RepeatedCompositeFieldContainer[SchemaChange]
    def __init__(self, changes: _Optional[_Iterable[_Union[SchemaChange, _Mapping]]] = ...) -> None: ...

class FetchSchemaRequest(_message.Message):
    __slots__ = ["container", "environment"]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ENVIRONMENT_FIELD_NUMBER: _ClassVar[int]
    container: str
    environment: _database_pb2.Environment
    def __init__(self, container: _Optional[str] = ..., environment: _Optional[_Union[_database_pb2.Environment, str]] = ...) -> None: ...

class FetchSchemaResponse(_message.Message):
    __slots__ = ["indexes", "text", "version"]
    INDEXES_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    indexes: _containers.RepeatedCompositeFieldContainer[FieldIndex]
    text: str
    version: int
    def __init__(self, text: _Optional[str] = ..., indexes: _Optional[_Iterable[_Union[FieldIndex, _Mapping]]] = ..., version: _Optional[int] = ...) -> None: ...

class FieldIndex(_message.Message):
    __slots__ = ["field_name", "ordered", "record_type", "searchable", "state"]
    FIELD_NAME_FIELD_NUMBER: _ClassVar[int]
    ORDERED_FIELD_NUMBER: _ClassVar[int]
    RECORD_TYPE_FIELD_NUMBER: _ClassVar[int]
    SEARCHABLE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    field_name: str
    ordered: bool
    record_type: str
    searchable: bool
    state: IndexState
    def __init__(self, record_type: _Optional[str] = ..., field_name: _Optional[str] = ..., ordered: bool = ..., searchable: bool = ..., state: _Optional[_Union[IndexState, str]] = ...) -> None: ...

class SchemaChange(_message.Message):
    __slots__ = ["after", "before", "kind", "subject"]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    after: str
    before: str
    kind: SchemaChangeKind
    subject: str
    def __init__(self, kind: _Optional[_Union[SchemaChangeKind, str]] = ..., subject: _Optional[str] = ..., before: _Optional[str] = ..., after: _Optional[str] = ...) -> None: ...

class IndexState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class SchemaChangeKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
