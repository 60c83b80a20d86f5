"""Assets."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

import pytest
from conftest import ClientMaker
from server import Server

import tidings
from tidings import Asset, Record
from tidings.assets import AssetFileError

CONTENT = random.Random(1).randbytes(3 * (1 << 20) + 12345)


async def test_a_file_is_uploaded_and_downloaded(make_client: ClientMaker, tmp_path: Path) -> None:
    source, target = tmp_path / "house.jpg", tmp_path / "copy.jpg"
    source.write_bytes(CONTENT)
    target.write_bytes(b"what was there")
    done: list[tuple[int, int]] = []
    async with make_client() as client:
        database = client.database()
        asset = await database.upload_asset(
            source, on_progress=lambda count, total: done.append((count, total))
        )
        assert asset == Asset(hashlib.sha256(CONTENT).digest(), len(CONTENT))
        assert done[-1] == (len(CONTENT), len(CONTENT))
        await database.save(Record("Houses", "h1", {"photo": asset}))
        named = (await database.fetch("h1"))["photo"]
        assert isinstance(named, Asset)
        await database.download_asset(named, target)
        assert target.read_bytes() == CONTENT
        assert [path.name for path in tmp_path.iterdir() if "part" in path.name] == []
        # Existing content is not sent again.
        done.clear()
        await database.upload_asset(
            source, on_progress=lambda count, total: done.append((count, total))
        )
        assert len(done) == 1


async def test_bytes_and_what_fails(make_client: ClientMaker, tmp_path: Path) -> None:
    async with make_client() as client:
        database = client.database()
        asset = await database.upload_asset(b"few")
        assert await database.asset_bytes(asset) == b"few"
        assert await database.asset_bytes(await database.upload_asset(b"")) == b""
        with pytest.raises(AssetFileError, match="not a regular file"):
            await database.upload_asset(tmp_path)
        with pytest.raises(tidings.NotFound):
            await database.download_asset(Asset(bytes(32), 3), tmp_path / "x")
        assert list(tmp_path.iterdir()) == []
        with pytest.raises(tidings.AssetNotAvailable):
            await database.save(Record("Houses", "h1", {"photo": Asset(bytes(32), 3)}))


async def test_an_interrupted_download_resumes(make_client: ClientMaker, tmp_path: Path) -> None:
    target = tmp_path / "file"
    async with make_client() as client:
        asset = await client.database().upload_asset(CONTENT)
        part = tmp_path / f"file.{asset.checksum[:8].hex()}.part"
        part.write_bytes(CONTENT[: 2 << 20])
        done: list[int] = []
        await client.database().download_asset(
            asset, target, on_progress=lambda count, total: done.append(count)
        )
        assert target.read_bytes() == CONTENT
        assert done[0] > 2 << 20
        part.write_bytes(b"wrong" * 1000)
        with pytest.raises(tidings.DataLoss):
            await client.database().download_asset(asset, target)
        assert not part.exists()


async def test_a_transfer_survives_a_server_that_is_killed(server: Server, tmp_path: Path) -> None:
    async with server.client(user="ada") as client:
        database = client.database()
        ended: list[bool] = []

        def end_once(count: int, total: int) -> None:
            if count > 1 << 20 and not ended:
                ended.append(True)
                server.kill()
                server.start()

        asset = await database.upload_asset(CONTENT, on_progress=end_once)
        ended.clear()
        await database.download_asset(asset, tmp_path / "x", on_progress=end_once)
        assert ended and (tmp_path / "x").read_bytes() == CONTENT
