from tidings.v1 import record_pb2 as _record_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
PREDICATE_MODIFIER_ALL: PredicateModifier
PREDICATE_MODIFIER_ANY: PredicateModifier
PREDICATE_MODIFIER_UNSPECIFIED: PredicateModifier
PREDICATE_OPERATOR_BEGINS_WITH: PredicateOperator
PREDICATE_OPERATOR_BETWEEN: PredicateOperator
PREDICATE_OPERATOR_CONTAINS: PredicateOperator
PREDICATE_OPERATOR_CONTAINS_ALL_TOKENS: PredicateOperator
PREDICATE_OPERATOR_CONTAINS_ANY_TOKENS: PredicateOperator
PREDICATE_OPERATOR_ENDS_WITH: PredicateOperator
PREDICATE_OPERATOR_EQUAL: PredicateOperator
PREDICATE_OPERATOR_GREATER_THAN: PredicateOperator
PREDICATE_OPERATOR_GREATER_THAN_OR_EQUAL: PredicateOperator
PREDICATE_OPERATOR_IN: PredicateOperator
PREDICATE_OPERATOR_LESS_THAN: PredicateOperator
PREDICATE_OPERATOR_LESS_THAN_OR_EQUAL: PredicateOperator
PREDICATE_OPERATOR_LIKE: PredicateOperator
PREDICATE_OPERATOR_NEAR: PredicateOperator
PREDICATE_OPERATOR_NOT_EQUAL: PredicateOperator
PREDICATE_OPERATOR_UNSPECIFIED: PredicateOperator

class Predicate(_message.Message):
    __slots__ = ["arguments", "nodes", "text"]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    arguments: _containers.RepeatedCompositeFieldContainer[_record_pb2.FieldValue]
    nodes: _containers.RepeatedCompositeFieldContainer[PredicateNode]
    text: str
    def __init__(self, text: _Optional[str] = ..., arguments: _Optional[_Iterable[_Union[_record_pb2.FieldValue, _Mapping]]] = ..., nodes: _Optional[_Iterable[_Union[PredicateNode, _Mapping]]] = ...) -> None: ...

class PredicateComparison(_message.Message):
    __slots__ = ["case_insensitive", "field_name", "modifier", "operator", "values"]
    CASE_INSENSITIVE_FIELD_NUMBER: _ClassVar[int]
    FIELD_NAME_FIELD_NUMBER: _ClassVar[int]
    MODIFIER_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    case_insensitive: bool
    field_name: str
    modifier: PredicateModifier
    operator: PredicateOperator
    values: _containers.RepeatedCompositeFieldContainer[_record_pb2.FieldValue]
    def __init__(self, field_name: _Optional[str] = ..., operator: _Optional[_Union[PredicateOperator, str]] = ..., values: _Optional[_Iterable[_Union[_record_pb2.FieldValue, _Mapping]]] = ..., case_insensitive: bool = ..., modifier: _Optional[_Union[PredicateModifier, str]] = ...) -> None: ...

class PredicateNode(_message.Message):
    __slots__ = ["and_count", "comparison", "constant", "or_count"]
    AND_COUNT_FIELD_NUMBER: _ClassVar[int]
    COMPARISON_FIELD_NUMBER: _ClassVar[int]
    CONSTANT_FIELD_NUMBER: _ClassVar[int]
    NOT_FIELD_NUMBER: _ClassVar[int]
    OR_COUNT_FIELD_NUMBER: _ClassVar[int]
    and_count: int
    comparison: PredicateComparison
    constant: bool
    or_count: int
    def __init__(self, comparison: _Optional[_Union[PredicateComparison, _Mapping]] = ..., constant: bool = ..., and_count: _Optional[int] = ..., or_count: _Optional[int] = ..., **kwargs) -> None: ...

class PredicateOperator(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class PredicateModifier(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
