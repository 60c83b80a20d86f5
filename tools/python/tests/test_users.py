"""Users' records, and finding users."""

from __future__ import annotations

import pytest
from conftest import ClientMaker

import tidings
from tidings import Record
from tidings.v1 import account_service_pb2 as account


async def test_a_user_saves_the_own_record_and_others_read_it(
    make_client: ClientMaker, user: str
) -> None:
    async with make_client() as ada, make_client(user=user + "-b") as ben:
        request = account.FetchUserRecordIDRequest()
        name = (await ada.accounts.fetch_user_record_id(request)).user_record_name
        record = await ada.database("public").fetch(name)
        assert record.type == "Users" and record.fields == {} and not record.change_tag
        with pytest.raises(tidings.UnknownItem):
            await ben.database("public").fetch(name)
        record["nick"] = "countess"
        await ada.database("public").save(record)
        seen = await ben.database("public").fetch(name)
        assert seen.fields == {"nick": "countess"}
        seen["nick"] = "liar"
        with pytest.raises(tidings.PermissionFailure, match="its user"):
            await ben.database("public").save(seen)
        with pytest.raises(tidings.PermissionFailure, match="cannot be deleted"):
            await ada.database("public").delete(name)
        with pytest.raises(tidings.InvalidArguments, match="name of a user"):
            await ada.database("private").save(Record("Notes", name))


async def test_users_are_found_while_they_are_published(
    make_client: ClientMaker, user: str
) -> None:
    async with make_client() as ada, make_client(user=user + "-b") as ben:
        lookup = account.UserLookup(email_address=f"{user}@EXAMPLE.com")
        request = account.FetchUsersRequest(lookups=[lookup])
        unknown = (await ben.accounts.fetch_users(request)).results[0]
        assert unknown.WhichOneof("outcome") == "error"
        entry = account.DirectoryEntry(display_name="Ada L.", email_address=f"{user}@Example.com")
        stored = await ada.accounts.update_directory_entry(
            account.UpdateDirectoryEntryRequest(entry=entry)
        )
        assert stored.entry.email_address == f"{user}@example.com".lower()
        found = (await ben.accounts.fetch_users(request)).results[0]
        assert found.lookup == lookup
        assert found.user == account.User(
            user_record_name=user, display_name="Ada L.", discoverable=True
        )
        listed = await ben.accounts.list_directory(account.ListDirectoryRequest())
        assert found.user in listed.users and not listed.more_coming
        await ada.accounts.update_directory_entry(account.UpdateDirectoryEntryRequest())
        own = await ada.accounts.fetch_directory_entry(account.FetchDirectoryEntryRequest())
        assert not own.HasField("entry")
        listed = await ben.accounts.list_directory(account.ListDirectoryRequest())
        assert found.user not in listed.users
