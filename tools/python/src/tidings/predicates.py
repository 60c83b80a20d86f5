"""Predicates of queries and subscriptions."""

from __future__ import annotations

from tidings.v1.predicate_pb2 import Predicate
from tidings.values import Value, to_wire


def predicate(text: str, *arguments: Value) -> Predicate:
    """A predicate in NSPredicate's format language.

    ``%@`` stands for the next argument, ``%K`` for a field's name, as in
    ``predicate("price > %@", 100)``. Never put values into the text yourself.
    """
    return Predicate(text=text, arguments=[to_wire(value) for value in arguments])
