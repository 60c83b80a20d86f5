"""Predicates of queries and subscriptions."""

from __future__ import annotations

from tidings.v1.predicate_pb2 import Predicate
from tidings.v1.record_pb2 import FieldValue
from tidings.values import Value, to_wire


def predicate(text: str, *arguments: Value) -> Predicate:
    """A predicate in NSPredicate's format language.

    ``%@`` is replaced by the next argument, ``%K`` by a field name, as in
    ``predicate("price > %@", 100)``. Do not insert values into the text yourself. ``True`` and
    ``False`` are 1 and 0, as ``TRUE`` and ``FALSE`` in the text.
    """
    return Predicate(text=text, arguments=[_argument(value) for value in arguments])


def _argument(value: Value) -> FieldValue:
    return to_wire(int(value) if isinstance(value, bool) else value)
