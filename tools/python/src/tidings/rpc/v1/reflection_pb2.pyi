from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FetchFileDescriptorSetRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class FetchFileDescriptorSetResponse(_message.Message):
    __slots__ = ["file_descriptor_set"]
    FILE_DESCRIPTOR_SET_FIELD_NUMBER: _ClassVar[int]
    file_descriptor_set: bytes
    def __init__(self, file_descriptor_set: _Optional[bytes] = ...) -> None: ...

class ListServicesRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class ListServicesResponse(_message.Message):
    __slots__ = ["services"]
    class Method(_message.Message):
        __slots__ = ["input_type", "name", "output_type", "safe", "server_streaming"]
        INPUT_TYPE_FIELD_NUMBER: _ClassVar[int]
        NAME_FIELD_NUMBER: _ClassVar[int]
        OUTPUT_TYPE_FIELD_NUMBER: _ClassVar[int]
        SAFE_FIELD_NUMBER: _ClassVar[int]
        SERVER_STREAMING_FIELD_NUMBER: _ClassVar[int]
        input_type: str
        name: str
        output_type: str
        safe: bool
        server_streaming: bool
        def __init__(self, name: _Optional[str] = ..., input_type: _Optional[str] = ..., output_type: _Optional[str] = ..., server_streaming: bool = ..., safe: bool = ...) -> None: ...
    class Service(_message.Message):
        __slots__ = ["methods", "name"]
        METHODS_FIELD_NUMBER: _ClassVar[int]
        NAME_FIELD_NUMBER: _ClassVar[int]
        methods: _containers.RepeatedCompositeFieldContainer[ListServicesResponse.Method]
        name: str
        def __init__(self, name: _Optional[str] = ..., methods: _Optional[_Iterable[_Union[ListServicesResponse.Method, _Mapping]]] = ...) -> None: ...
    SERVICES_FIELD_NUMBER: _ClassVar[int]
    services: _containers.RepeatedCompositeFieldContainer[ListServicesResponse.Service]
    def __init__(self, services: _Optional[_Iterable[_Union[ListServicesResponse.Service, _Mapping]]] = ...) -> None: ...
