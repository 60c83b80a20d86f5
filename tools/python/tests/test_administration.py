"""Administration of a running server."""

from __future__ import annotations

import pytest
from server import Server

import tidings
from tidings.rpc.retry import RetryPolicy
from tidings.rpc.v1.server_pb2 import SERVER_STATE_DRAINED, SERVER_STATE_SERVING
from tidings.v1 import admin_service_pb2 as admin


async def test_connections_are_listed(server: Server) -> None:
    async with (
        server.client(user="ada", device="laptop") as client,
        server.client(user="root") as root,
    ):
        await client.database().save(tidings.Record("Things", "t1"))
        operator = root.administration
        request = admin.ListConnectionsRequest(user_name="ada")
        found = (await operator.list_connections(request)).connections
        assert [(c.user_name, c.device_id, c.calls_open) for c in found] == [("ada", "laptop", 0)]
        devices = await operator.list_devices(admin.ListDevicesRequest(user_name="ada"))
        assert [device.device_id for device in devices.devices] == ["laptop"]
        ended = await operator.end_connections(admin.EndConnectionsRequest(user_name="ada"))
        assert ended.count == 1
        # Clients reconnect automatically.
        assert (await client.database().fetch("t1")).id.name == "t1"


async def test_a_server_is_drained_and_resumed(server: Server) -> None:
    async with server.client(user="ada") as client, server.client(user="root") as root:
        await client.database().save(tidings.Record("Things", "t1"))
        request = admin.DrainRequest(action=admin.DRAIN_ACTION_DRAIN)
        assert (await root.administration.drain(request)).state == SERVER_STATE_DRAINED
        async with server.client(user="ben", retry=RetryPolicy(attempts_max=1)) as impatient:
            with pytest.raises(tidings.Unavailable, match="drains"):
                await impatient.database().save(tidings.Record("Things", "t2"))
        request = admin.DrainRequest(action=admin.DRAIN_ACTION_RESUME)
        assert (await root.administration.drain(request)).state == SERVER_STATE_SERVING
        await client.database().save(tidings.Record("Things", "t2"))


async def test_settings_of_a_running_server(server: Server) -> None:
    async with server.client(user="root") as root:
        operator = root.administration
        level = await operator.set_log_level(admin.SetLogLevelRequest(level=admin.LOG_LEVEL_ERROR))
        assert level.level == admin.LOG_LEVEL_ERROR
        kept = await operator.set_retention(
            admin.SetRetentionRequest(notification_retention_days=3, resets=True)
        )
        assert kept.notification_retention_days == 3
        assert list(kept.set_names) == ["notification-retention-days"]
        reset = await operator.reset_development(admin.ResetDevelopmentRequest(dry_run=True))
        assert not reset.is_running
