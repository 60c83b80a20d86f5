"""Shares, with the record's ``share`` and the calls of ``client.shares``."""

from __future__ import annotations

from conftest import ClientMaker

from tidings import Client, Record, RecordID, ZoneID
from tidings.v1 import error_pb2, record_pb2, share_service_pb2


async def ask(client: Client, url: str) -> int:
    """Requests access; returns the error code, 0 for none."""
    request = share_service_pb2.RequestShareAccessRequest(urls=[url])
    response = await client.shares.request_share_access(request)
    return response.results[0].error.code


async def accept(client: Client, url: str) -> int:
    """Accepts; returns the error code, 0 for none."""
    request = share_service_pb2.AcceptSharesRequest(urls=[url])
    response = await client.shares.accept_shares(request)
    return response.results[0].error.code


async def test_a_share_is_requested_accepted_and_administered(
    make_client: ClientMaker, user: str
) -> None:
    names = [f"{user}-{name}" for name in ("ben", "cleo")]
    async with (
        make_client() as owner,
        make_client(user=names[0]) as ben,
        make_client(user=names[1]) as cleo,
    ):
        database = owner.database()
        await database.save_zone("trips")
        record = Record("cloudkit.share", "cloudkit.zoneshare", zone="trips")
        record.share = record_pb2.Share(
            allows_access_requests=True,
            participants=[
                record_pb2.Participant(
                    participant_id="guest",
                    permission=record_pb2.PARTICIPANT_PERMISSION_READ_WRITE,
                )
            ],
        )
        await database.save(record)
        share_id = RecordID("cloudkit.zoneshare", ZoneID("trips"))
        stored = await database.fetch(share_id)
        assert stored.share is not None
        url, one_time = stored.share.url, stored.share.participants[1].one_time_url
        assert await accept(cleo, url) == error_pb2.ERROR_CODE_UNKNOWN_ITEM
        assert await ask(cleo, url) == 0
        assert await accept(ben, one_time) == 0
        assert await accept(cleo, one_time) == error_pb2.ERROR_CODE_UNKNOWN_ITEM

        stored = await database.fetch(share_id)
        assert stored.share is not None
        assert [r.user_record_name for r in stored.share.requesters] == [names[1]]
        stored.share.participants[1].role = record_pb2.PARTICIPANT_ROLE_ADMINISTRATOR
        await database.save(stored)

        theirs = await ben.database("shared").fetch(
            RecordID("cloudkit.zoneshare", ZoneID("trips", user))
        )
        assert theirs.share is not None
        theirs.share.participants.append(
            record_pb2.Participant(
                user_record_name=names[1],
                permission=record_pb2.PARTICIPANT_PERMISSION_READ_ONLY,
            )
        )
        await ben.database("shared").save(theirs)
        assert await accept(cleo, url) == 0
        seen = await cleo.database("shared").fetch(
            RecordID("cloudkit.zoneshare", ZoneID("trips", user))
        )
        assert seen.share is not None
        assert [p.user_record_name for p in seen.share.participants] == [user, *names]
        assert not seen.share.requesters
