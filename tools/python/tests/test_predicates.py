"""What predicates say of absent fields and of the caller."""

from __future__ import annotations

import pytest
from conftest import ClientMaker

import tidings
from tidings import Record, RecordID, Reference


async def test_records_without_a_field_are_found(make_client: ClientMaker) -> None:
    async with make_client() as client:
        database = client.database()
        await database.save(Record("Things", "x", {"name": "a", "price": 1}))
        await database.save(Record("Things", "y", {"name": "", "price": -(2**63)}))
        await database.save(Record("Things", "z", {}))
        for where in ['NOT name >= ""', "NOT price >= -9223372036854775808"]:
            found = [record.id.name async for record in database.query("Things", where)]
            assert found == ["z"], where
        for where in ["name IS NULL", "name == nil", "name = NULL", "nil = name"]:
            with pytest.raises(tidings.ItemError, match="NOT name >= "):
                [record async for record in database.query("Things", where)]


async def test_the_current_user_is_the_caller(make_client: ClientMaker) -> None:
    async with make_client() as client:
        database = client.database()
        me = Reference(RecordID("__defaultOwner__"))
        await database.save(Record("Things", "x", {"by": me}))
        stored = (await database.fetch("x"))["by"]
        assert isinstance(stored, Reference) and stored.record_id.name != "__defaultOwner__"
        for where in ["creatorUserRecordID == %@", "by == %@"]:
            found = [record.id.name async for record in database.query("Things", where, me)]
            assert found == ["x"], where
        with pytest.raises(tidings.ItemError, match="FetchUserRecordID"):
            await database.fetch("__defaultOwner__")
