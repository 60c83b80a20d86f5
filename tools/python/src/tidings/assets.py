"""Files that belong to records: uploaded and downloaded in chunks, resumable.

Memory use is independent of the size of a file. To resume an interrupted transfer, start it again.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import io
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from tidings.rpc.errors import DataLoss, Internal, RPCError, TidingsError, Unavailable
from tidings.rpc.status import StatusCode
from tidings.rpc.transport import Transport
from tidings.v1 import database_pb2
from tidings.v1.asset_service_pb2 import (
    DownloadAssetRequest,
    DownloadAssetResponse,
    UploadAssetRequest,
)
from tidings.v1.asset_service_rpc import AssetServiceClient
from tidings.values import Asset, asset_to_wire

CHUNK_BYTES = 1 << 20
"""Bytes per chunk, the maximum of the protocol."""

ASK_BYTES_MIN = 64 << 10
"""From this size on, an upload first asks the server how much of the asset it has."""

ATTEMPTS_MAX = 5
"""A transfer fails after this many attempts without progress."""

ProgressListener = Callable[[int, int], None]
"""Called with the number of bytes transferred and the total (0: unknown)."""


class AssetFileError(TidingsError):
    """A file cannot be read or written, or was modified during its upload."""


class AssetTransfer:
    """Uploads and downloads assets of a database."""

    def __init__(self, transport: Transport, database_id: database_pb2.DatabaseID) -> None:
        self._calls = AssetServiceClient(transport)
        self._database_id = database_id

    async def upload(
        self,
        content: str | os.PathLike[str] | bytes,
        on_progress: ProgressListener | None = None,
    ) -> Asset:
        """Uploads a file, which must not change meanwhile, or bytes; returns the field's value.

        Content that the server already has is not sent again. Raises :class:`AssetFileError` and
        ``RPCError``.
        """
        if isinstance(content, bytes):
            return await self._upload(io.BytesIO(content), on_progress)
        try:
            if not Path(content).is_file():
                raise AssetFileError(
                    f"'{os.fspath(content)}' is not a regular file: upload a file or bytes"
                )
            with Path(content).open("rb") as file:
                return await self._upload(file, on_progress)
        except OSError as error:
            if isinstance(error, RPCError):
                raise
            raise AssetFileError(str(error)) from error

    async def download(
        self,
        asset: Asset,
        path: str | os.PathLike[str],
        on_progress: ProgressListener | None = None,
    ) -> None:
        """Downloads an asset into a file, which is replaced when the content is verified.

        Until then the content is in a temporary file in the same folder, from which an interrupted
        download resumes. Raises :class:`AssetFileError` and ``RPCError``: ``NotFound`` if the
        database does not have the asset, ``DataLoss`` if its checksum is wrong.
        """
        part = Path(f"{os.fspath(path)}.{asset.checksum[:8].hex()}.part")
        try:
            with part.open("a+b") as file:
                _lock(file, part)
                await self._download_part(asset, file, part, on_progress)
                os.fsync(file.fileno())
            part.replace(path)
        except OSError as error:
            if isinstance(error, RPCError):
                raise
            raise AssetFileError(str(error)) from error

    async def download_bytes(self, asset: Asset, *, offset: int = 0, length: int = 0) -> bytes:
        """Downloads an asset, or a range of it, into memory; ``length`` 0 means to the end.

        The checksum is verified for a complete asset only.
        """
        data = bytearray()
        request = self._download_request(asset, offset, length)
        async with self._calls.download_asset(request) as stream:
            async for message in stream:
                data += message.chunk
        if offset == 0 and length == 0 and hashlib.sha256(data).digest() != asset.checksum:
            raise _wrong_checksum()
        return bytes(data)

    # Uploads.

    async def _upload(self, file: BinaryIO, on_progress: ProgressListener | None) -> Asset:
        checksum, size = await asyncio.to_thread(_checksum, file)
        asset = Asset(checksum, size)
        stored = attempts = 0
        is_asking = size >= ASK_BYTES_MIN
        while True:
            chunk = b"" if is_asking else _read(file, stored, min(CHUNK_BYTES, size - stored))
            is_asking = False
            response = await self._calls.upload_asset(
                UploadAssetRequest(
                    database_id=self._database_id,
                    asset=asset_to_wire(asset),
                    offset=stored,
                    chunk=chunk,
                )
            )
            if on_progress is not None:
                on_progress(response.offset, size)
            if response.complete:
                return asset
            attempts = 0 if response.offset > stored or not chunk else attempts + 1
            if attempts >= ATTEMPTS_MAX or response.offset >= size:
                raise Internal(StatusCode.INTERNAL, "the server did not store the uploaded chunk")
            stored = response.offset

    # Downloads.

    async def _download_part(
        self, asset: Asset, file: BinaryIO, part: Path, on_progress: ProgressListener | None
    ) -> None:
        file.seek(0, os.SEEK_END)
        if asset.size and file.tell() > asset.size:
            file.truncate(0)
        digest = hashlib.sha256()
        size = await asyncio.to_thread(_hash_all, file, digest)
        attempts = 0
        while True:
            before = size
            try:
                async with self._calls.download_asset(
                    self._download_request(asset, size), timeout=math.inf
                ) as stream:
                    async for message in stream:
                        _append(file, size, message)
                        digest.update(message.chunk)
                        size += len(message.chunk)
                        if on_progress is not None:
                            on_progress(size, asset.size)
                break
            except Unavailable:
                attempts = 1 if size > before else attempts + 1
                if attempts >= ATTEMPTS_MAX:
                    raise
            except BaseException:
                if size == 0:
                    part.unlink(missing_ok=True)
                raise
        if digest.digest() != asset.checksum:
            part.unlink(missing_ok=True)
            raise _wrong_checksum()
        file.flush()

    def _download_request(self, asset: Asset, offset: int, length: int = 0) -> DownloadAssetRequest:
        return DownloadAssetRequest(
            database_id=self._database_id,
            asset=asset_to_wire(asset),
            offset=offset,
            length=length,
        )


def _checksum(file: BinaryIO) -> tuple[bytes, int]:
    digest = hashlib.sha256()
    size = _hash_all(file, digest)
    return digest.digest(), size


def _hash_all(file: BinaryIO, digest: hashlib._Hash) -> int:
    """Hashes the content in chunks; returns its size in bytes."""
    file.seek(0)
    size = 0
    while piece := file.read(CHUNK_BYTES):
        digest.update(piece)
        size += len(piece)
    return size


def _read(file: BinaryIO, offset: int, count: int) -> bytes:
    file.seek(offset)
    chunk = file.read(count)
    if len(chunk) != count:
        raise AssetFileError("the file was truncated during its upload: upload it again")
    return chunk


def _append(file: BinaryIO, size: int, message: DownloadAssetResponse) -> None:
    if message.offset != size:
        raise Internal(
            StatusCode.INTERNAL,
            f"the server sent bytes at offset {message.offset}, expected {size}",
        )
    file.write(message.chunk)


def _lock(file: BinaryIO, path: Path) -> None:
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise AssetFileError(f"another download is writing '{path}': wait for it") from None


def _wrong_checksum() -> DataLoss:
    return DataLoss(
        StatusCode.DATA_LOSS,
        "the downloaded asset has a wrong checksum: download it again, and if that does not "
        "help, upload it again",
    )
