"""Encrypted values."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import pytest
from conftest import ClientMaker

from tidings import Encrypted, Location, Record, RecordID, ZoneID
from tidings.encryption.errors import EncryptionError, KeyRingError, MissingKey, NotEncryptable
from tidings.encryption.key import EncryptionKey, FieldLocation
from tidings.encryption.key_ring import KeyRing, KeyRingEntry
from tidings.encryption.sealer import FieldSealer
from tidings.v1.database_pb2 import DatabaseID
from tidings.values import Value

RING = KeyRing([KeyRingEntry(EncryptionKey.generate())])


def test_the_vector_of_the_documentation() -> None:
    key = EncryptionKey(bytes(range(32)))
    location = FieldLocation("home", "development", "ada", "_defaultZone", "d1", "pin")
    assert key.id.hex() == "bbcc36ed047d52af"
    assert location.to_bytes().hex() == (
        "0019746964696e67732e76312e456e6372797074656456616c75650004686f6d65000b646576656c6f706d65"
        "6e740003616461000c5f64656661756c745a6f6e6500026431000370696e"
    )
    sealed = key.seal(bytes.fromhex("0a0431323334"), location, nonce=bytes(range(100, 124)))
    assert sealed.hex() == (
        "6465666768696a6b6c6d6e6f707172737475767778797a7b7677c882cc1ae700e17f96fd0cbd57fe80ed8157"
        "9ef6"
    )
    assert key.open(sealed, location) == bytes.fromhex("0a0431323334")
    assert key.open(sealed[:-1] + b"x", location) is None


async def test_sealed_fields_are_stored_and_opened(make_client: ClientMaker) -> None:
    values: dict[str, Value] = {
        "pin": "1234",
        "count": 7,
        "ratio": 0.5,
        "blob": b"\x00",
        "when": datetime(2026, 1, 2, tzinfo=timezone.utc),
        "where": Location(1.0, 2.0),
    }
    async with make_client(container="home") as client:
        sealer = await client.field_sealer(RING)
        record = Record("Doors", "d1", {**values, "place": "front"})
        sealer.seal(record, *values, "absent")
        await client.database().save(record)
        fetched = await client.database().fetch("d1")
        assert fetched["place"] == "front"
        assert all(isinstance(fetched[name], Encrypted) for name in values)
        assert sealer.open(fetched) == {}
        assert fetched.fields == {**values, "place": "front"}


async def test_the_first_sealed_value_creates_the_default_ring(
    make_client: ClientMaker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    path = tmp_path / "data" / "tidings" / "default.ring"
    async with make_client() as client:
        sealer = await client.field_sealer()
        record = Record("Doors", "d1", {"pin": "1234"})
        assert not path.exists()
        sealer.seal(record, "pin")
        assert path.stat().st_mode & 0o777 == 0o600
        assert str(path) in caplog.text and "other devices" in caplog.text
        await client.database().save(record)
        fetched = await client.database().fetch("d1")
        assert (await client.field_sealer()).open(fetched) == {} and fetched["pin"] == "1234"
        # Another device: the error names the missing file, and reading does not create it.
        path.rename(tmp_path / "kept.ring")
        fetched = await client.database().fetch("d1")
        failures = (await client.field_sealer()).open(fetched)
        assert isinstance(failures["pin"], MissingKey) and str(path) in str(failures["pin"])
        assert not path.exists()
        (tmp_path / "kept.ring").rename(path)
        assert (await client.field_sealer()).open(fetched) == {} and fetched["pin"] == "1234"
        assert len(KeyRing.read(path).entries) == 1


def test_a_moved_value_or_one_with_another_key_is_not_opened() -> None:
    sealer = FieldSealer(RING, DatabaseID(container="home"), "ada")
    record_id = RecordID("d1")
    sealed = sealer.seal_value("1234", "pin", record_id)
    assert sealer.open_value(sealed, "pin", record_id) == "1234"
    with pytest.raises(EncryptionError, match="cannot be opened"):
        sealer.open_value(sealed, "pan", record_id)
    with pytest.raises(EncryptionError):
        sealer.open_value(sealed, "pin", RecordID("d1", ZoneID("other")))
    fields = {"pin": sealed, "open": 1}
    another = FieldSealer(KeyRing(), DatabaseID(container="home"), "ada")
    failures = another.open_fields(fields, record_id)
    assert isinstance(failures["pin"], MissingKey) and fields["pin"] is sealed
    with pytest.raises(EncryptionError, match="no key for sealing"):
        another.seal_value("x", "pin", record_id)
    with pytest.raises(NotEncryptable):
        sealer.seal_value([1], "pin", record_id)
    with pytest.raises(EncryptionError, match="no name"):
        sealer.seal_value("x", "pin", RecordID(""))


def test_other_users_cannot_read_a_key_ring(tmp_path: Path) -> None:
    path = tmp_path / "ada.ring"
    RING.create(path)
    read = KeyRing.read(path)
    assert read.entries == RING.entries and read.sealing_key == RING.sealing_key
    with pytest.raises(KeyRingError, match="exists, and keys"):
        RING.create(path)
    path.chmod(0o644)
    with pytest.raises(KeyRingError, match="chmod 600"):
        KeyRing.read(path)
    line = RING.entries[0].line
    for text, reason in [
        ("seal 00 00", "line 1: expected"),
        ("# title\n" + line + line, "line 3: the key appears twice"),
        (
            line.replace(RING.entries[0].key.id.hex(), "00" * 8),
            "line 1: the key does not match its ID",
        ),
    ]:
        with pytest.raises(KeyRingError, match=reason) as caught:
            KeyRing.parse(text)
        assert RING.entries[0].key.data.hex() not in str(caught.value)
