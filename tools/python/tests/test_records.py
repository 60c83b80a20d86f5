"""Records, with the methods of the database."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from conftest import ClientMaker

import tidings
from tidings import (
    Location,
    PreciseTime,
    Record,
    RecordID,
    Reference,
    ReferenceAction,
    SavePolicy,
)
from tidings.v1 import record_service_pb2
from tidings.values import Value

NOW = datetime(2026, 5, 4, 3, 2, 1, 987_000, tzinfo=timezone.utc)

VALUES: dict[str, Value] = {
    "text": "Grüße\0",
    "whole": -(2**63),
    "number": 3.0,
    "data": b"\x00\xff",
    "time": NOW,
    "place": Location(52.5, 13.4, altitude=34.0, timestamp=NOW),
    "other": Reference(RecordID("there"), ReferenceAction.NONE),
    "texts": ["a", "b"],
    "wholes": [1, 2],
    "numbers": [1.0, 2.5],
    "datas": [b"a", b""],
    "times": [NOW, NOW + timedelta(days=1)],
    "places": [Location(0.0, 0.0)],
    "others": [Reference(RecordID("there"))],
    "nothing": [],
}


async def test_values_round_trip(make_client: ClientMaker) -> None:
    async with make_client() as client:
        database = client.database()
        saved = await database.save(Record("Things", "t1", VALUES))
        assert saved.change_tag and saved.created is not None
        fetched = await database.fetch("t1")
        assert fetched.fields == VALUES
        assert fetched.change_tag == saved.change_tag
        assert fetched.type == "Things" and fetched.name == "t1"
        some = await database.fetch("t1", desired_keys=["text"])
        assert some.fields == {"text": "Grüße\0"}


async def test_nanoseconds_round_trip(
    make_client: ClientMaker,
) -> None:
    time = PreciseTime.of(NOW.replace(microsecond=123_456), 789)
    async with make_client() as client:
        database = client.database()
        await database.save(Record("Things", "t1", {"time": time, "times": [time, NOW]}))
        fetched = await database.fetch("t1")
        assert fetched["time"] == time and isinstance(fetched["time"], PreciseTime)
        assert fetched["time"].nanosecond == 789
        fetched["another"] = 1
        await database.save(fetched)
        found = database.query("Things", "time = @2026-05-04T03:02:01.123456789Z")
        assert [record.name async for record in found] == ["t1"]
        with pytest.raises(ValueError, match="999"):
            PreciseTime.of(NOW, 1_000)


async def test_booleans_are_rejected(make_client: ClientMaker) -> None:
    async with make_client() as client:
        database = client.database()
        for value in (True, [False], [1, False]):
            with pytest.raises(TypeError, match=r"boolean: use [01] \(INT64\)"):
                await database.save(Record("Things", "t1", {"isSold": value}))
        await database.save(Record("Things", "t1", {"isSold": 1}))
        found = database.query("Things", "isSold = %@ AND isSold = TRUE", True)
        assert [record.name async for record in found] == ["t1"]


async def test_null_removes_a_field_and_absence_keeps_it(make_client: ClientMaker) -> None:
    async with make_client() as client:
        database = client.database()
        record = await database.save(Record("Things", "t1", {"a": 1, "b": 2}))
        record["a"] = None
        del record["b"]
        record = await database.save(record)
        assert record.fields == {}
        assert (await database.fetch("t1")).fields == {"b": 2}


async def test_a_conflict_contains_both_records(make_client: ClientMaker) -> None:
    async with make_client() as client:
        database = client.database()
        mine = await database.save(Record("Things", "t1", {"a": 1}))
        theirs = await database.fetch("t1")
        theirs["a"] = 2
        await database.save(theirs)
        mine["a"] = 3
        with pytest.raises(tidings.ServerRecordChanged) as caught:
            await database.save(mine)
        assert caught.value.server_record is not None and caught.value.ancestor_record is not None
        assert caught.value.server_record["a"] == 2
        assert caught.value.ancestor_record["a"] == 1
        with pytest.raises(ValueError, match="'all_keys'"):
            await database.save(mine, policy="all keys")
        forced = await database.save(mine, policy="changed_keys")
        assert forced["a"] == 3


async def test_policies_are_those_of_the_contract(make_client: ClientMaker) -> None:
    contract = {
        name.removeprefix("SAVE_POLICY_"): number
        for name, number in record_service_pb2.SavePolicy.items()
        if number
    }
    assert contract == {policy.name: policy.value for policy in SavePolicy}
    keeps = {"changed_keys", "all_keys", "if_server_record_unchanged"}
    async with make_client() as client:
        database = client.database()
        for policy in SavePolicy:
            name = policy.name.lower()
            stored = await database.save(Record("Things", name, {"a": 1, "b": 2}))
            sent = Record("Things", name, {"a": 3})
            sent.change_tag = stored.change_tag
            await database.save(sent, policy=name)
            expected = {"a": 3, "b": 2} if name in keeps else {"a": 3}
            assert dict((await database.fetch(name)).items()) == expected, name


async def test_a_time_that_utc_does_not_have_is_refused() -> None:
    east, west = timezone(timedelta(hours=2)), timezone(timedelta(hours=-2))
    for time in [datetime.min.replace(tzinfo=east), datetime.max.replace(tzinfo=west)]:
        values: list[Value] = [time, [time], Location(1, 2, timestamp=time)]
        for value in values:
            with pytest.raises(ValueError, match="0001-01-01 to 9999-12-31"):
                Record("Things", "t", {"at": value}).to_wire()


async def test_items_fail_one_by_one(make_client: ClientMaker) -> None:
    async with make_client() as client:
        database = client.database()
        with pytest.raises(tidings.UnknownItem, match="UNKNOWN_ITEM"):
            await database.fetch("nobody")
        await database.save(Record("Things", "there"))
        records = [Record("Things", "new"), Record("Things", "there")]
        with pytest.raises(tidings.PartialFailure) as caught:
            await database.save_all(records, atomic=True)
        failed = caught.value.result.failed
        assert isinstance(failed[RecordID("there")], tidings.ServerRecordChanged)
        assert isinstance(failed[RecordID("new")], tidings.BatchRequestFailed)
        result = await database.modify(save=records, delete=["gone"], atomic=False)
        assert [record.name for record in result.saved] == ["new"]
        assert result.deleted == [RecordID("gone")]
        found = await database.fetch_all(["new", "nobody"])
        assert isinstance(found[0], Record) and isinstance(found[1], tidings.UnknownItem)


async def test_a_bad_record_of_each_kind_fails_alone(make_client: ClientMaker) -> None:
    owner = RecordID("first")
    early = datetime(1, 1, 1, tzinfo=timezone.utc)
    values: list[Value] = [
        Reference(owner, 77),  # type: ignore[arg-type]
        [Reference(owner, 77)],  # type: ignore[arg-type]
        Reference(RecordID("")),
        tidings.Location(91, 0),
        tidings.Location(0, float("inf"), timestamp=early),
        float("nan"),
        [0.5, float("inf")],
        tidings.Asset(b"1", 1),
    ]
    bad = [Record("Houses", "bad", {"value": value}) for value in values]
    bad += [Record("Houses", "bad", {"price": "text"}), Record("Houses", "bad", {"9": 1})]
    bad += [Record("9", "bad"), Record("Houses", "_bad")]
    async with make_client() as client:
        database = client.database()
        await database.save(Record("Houses", "first", {"price": 1}))
        for kind, record in enumerate(bad):
            for position in range(4):
                names = [f"{kind}-{position}-{number}" for number in range(3)]
                records = [Record("Houses", name, {"price": 2}) for name in names]
                records.insert(position, record)
                result = await database.modify(save=records)
                assert [name.name for name in result.failed] == [record.name], kind
                assert [saved.name for saved in result.saved] == names, kind


async def test_default_zones_are_not_atomic_and_custom_zones_are(make_client: ClientMaker) -> None:
    async with make_client() as client:
        database = client.database()
        await database.save_zone("notes")
        for zone, saved in [(None, ["new"]), ("notes", [])]:
            await database.save(Record("Things", "there", zone=zone))
            names = ["new", "there"]
            result = await database.modify(save=[Record("Things", n, zone=zone) for n in names])
            assert [record.name for record in result.saved] == saved


async def test_a_parent_is_removed(make_client: ClientMaker) -> None:
    async with make_client() as client:
        database = client.database()
        await database.save(Record("Things", "above"))
        below = await database.save(Record("Things", "below", parent="above"))
        assert below.parent == RecordID("above")
        below.parent = None
        below = await database.save(below)
        assert below.parent is None and (await database.fetch("below")).parent is None
        # A save without a parent keeps it.
        below.parent = RecordID("above")
        await database.save(below)
        await database.save(Record("Things", "below"), policy=SavePolicy.CHANGED_KEYS)
        assert (await database.fetch("below")).parent == RecordID("above")


async def test_a_query_for_what_is_not_in_the_schema_warns(make_client: ClientMaker) -> None:
    async with make_client() as client:
        database = client.database()
        await database.save(Record("Houses", "h", {"price": 1}))
        with pytest.warns(UserWarning, match="did you mean 'price'"):
            found = [record async for record in database.query("Houses", "prcie > 5")]
        assert found == []


async def test_a_record_without_a_name_gets_one(make_client: ClientMaker) -> None:
    async with make_client() as client:
        saved = await client.database().save(Record("Things", fields={"a": 1}))
        assert saved.name
        assert (await client.database().fetch(saved.id))["a"] == 1


async def test_cascaded_deletions_are_reported(make_client: ClientMaker) -> None:
    async with make_client() as client:
        database = client.database()
        owner = Reference(RecordID("owner"), ReferenceAction.DELETE_SELF)
        await database.save_all([Record("Things", "owner"), Record("Things", "x", {"of": owner})])
        result = await database.modify(delete=["owner"])
        assert result.cascaded == [RecordID("x")]


async def test_queries_fetch_pages_on_demand(make_client: ClientMaker) -> None:
    async with make_client() as client:
        database = client.database()
        records = [Record("Houses", f"h{n:03}", {"price": n}) for n in range(250)]
        await database.save_all(records[:125])
        await database.save_all(records[125:])
        found = [record["price"] async for record in database.query("Houses", sort=["-price"])]
        assert found == list(range(249, -1, -1))
        some = database.query("Houses", "price >= %@ AND price < %@", 10, 20, sort=["price"])
        assert [record["price"] async for record in some] == list(range(10, 20))
        few = database.query("Houses", sort=["price"], limit=3)
        assert [record["price"] async for record in few] == [0, 1, 2]
        with pytest.raises(tidings.InvalidArguments):
            async for _ in database.query("Houses", "price >"):
                pass


async def test_zones(make_client: ClientMaker) -> None:
    async with make_client() as client:
        database = client.database()
        await database.save_zone("notes")
        await database.save(Record("Notes", "n", {"text": "x"}, zone="notes"))
        fetched = await database.fetch(RecordID("n", tidings.ZoneID("notes")))
        assert fetched.zone.name == "notes"
        names = [zone.zone_id.zone_name for zone in await database.zones()]
        assert names == ["_defaultZone", "notes"]
        await database.delete_zone("notes")
        with pytest.raises(tidings.ZoneNotFound):
            await database.fetch(RecordID("n", tidings.ZoneID("notes")))


def test_invalid_values_are_rejected() -> None:
    refused: list[tuple[object, type[Exception]]] = [
        (object(), TypeError),
        ([1, "a"], TypeError),
        ([[1]], TypeError),
        (datetime(2026, 1, 1), ValueError),
        (2**63, ValueError),
    ]
    for value, error in refused:
        with pytest.raises(error):
            Record("Things", "t", {"x": value}).to_wire()  # type: ignore[dict-item]
