"""Connections that are authenticated by keys."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from peer import refusal
from server import Server, program

import tidings
from tidings.rpc.keys import KeyFileError, KeyPair
from tidings.v1.account_service_pb2 import FetchUserRecordIDRequest


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Server]:
    """A server that requires authentication; its administrator's key is in the data folder."""
    server = Server(tmp_path)
    command = [str(program("rpcd")), "init", "--data", str(server.data), "--admin", "ada"]
    subprocess.run(command, check=True, capture_output=True)
    with server:
        yield server


async def test_a_key_identifies_the_user(guarded: Server) -> None:
    client = guarded.client(
        key_file=guarded.data / "ada.key", server_key=guarded.data / "server.pub"
    )
    async with client, client.inbox() as inbox:
        request = FetchUserRecordIDRequest()
        assert (await client.accounts.fetch_user_record_id(request)).user_record_name == "ada"
        await client.database().save_subscription(tidings.query_subscription("all", "Things"))
        items = aiter(inbox)
        await client.database().save(tidings.Record("Things", "t1"))
        assert (await anext(items)).notification.record_id == tidings.RecordID("t1")


async def test_a_key_that_is_not_admitted_is_reported(guarded: Server) -> None:
    server_key = guarded.data / "server.pub"
    stranger = tidings.ClientKeys(
        KeyPair.generate(), (tidings.KeyPair.read(guarded.data / "ada.key")).public_key
    )
    admitted = KeyPair.read(guarded.data / "ada.key")
    right_key = tidings.rpc.keys.read_public_key(server_key)
    cases: list[tuple[tidings.ClientKeys | None, type[tidings.RPCError], str]] = [
        (
            tidings.ClientKeys(KeyPair.generate(), right_key),
            tidings.Unauthenticated,
            "does not admit this key",
        ),
        (
            tidings.ClientKeys(admitted, stranger.server_key),
            tidings.Unavailable,
            "check the server key",
        ),
        (None, tidings.Unavailable, "requires authentication"),
    ]
    for keys, error, reason in cases:
        async with tidings.Client(guarded.rpc, keys=keys, connect_timeout=0.1) as client:
            await refusal(client, error, reason)


async def test_keys_for_a_server_without(server: Server) -> None:
    keys = tidings.ClientKeys(KeyPair.generate(), KeyPair.generate().public_key)
    async with tidings.Client(server.rpc, keys=keys, connect_timeout=0.1) as client:
        await refusal(client, tidings.Unavailable, "CURVE")


def test_key_files(tmp_path: Path) -> None:
    path = tmp_path / "me.key"
    subprocess.run(
        [str(program("rpcctl")), "keys", "generate", "-O", str(path)],
        check=True,
        capture_output=True,
    )
    pair = KeyPair.read(path)
    assert pair.public_key in path.read_text() and pair.secret_key not in repr(pair)
    path.chmod(0o644)
    with pytest.raises(KeyFileError, match="chmod 600"):
        KeyPair.read(path)
    path.chmod(0o600)
    path.write_text(f"public-key {KeyPair.generate().public_key}\nsecret-key {pair.secret_key}\n")
    with pytest.raises(KeyFileError, match="are not a pair"):
        KeyPair.read(path)
    path.write_text("secret-key short\n")
    with pytest.raises(KeyFileError, match="line 1"):
        KeyPair.read(path)
    with pytest.raises(KeyFileError, match="cannot read"):
        KeyPair.read(tmp_path / "nothing")
    with pytest.raises(ValueError, match="set together"):
        tidings.Client(key_file=path)
