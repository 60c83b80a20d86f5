"""Saves all that the Python client returns, as it came."""

import asyncio
import json
import os

from tidings import Client, Record, RecordID, ZoneID

task = json.loads(os.environ["TIDINGS_ROUND_TRIP"])


async def main() -> None:
    for user, scope, zones in ("ada", "private", task["zones"]), ("ben", "shared", task["shared"]):
        async with Client(task["rpc"], user=user, timeout=600, connect_timeout=60) as client:
            database = client.database(scope)
            for zone in zones:
                zone_id = ZoneID(zone["name"], zone["owner"])
                found = await database.fetch_all(RecordID(name, zone_id) for name in zone["records"])
                assert all(isinstance(record, Record) for record in found), found
                await database.save_all(found)
            if scope == "private":
                for zone in await database.zones():
                    if zone.zone_id.zone_name not in ("", "_defaultZone"):
                        await database.save_zone(ZoneID.from_wire(zone.zone_id))
            subscriptions = await database.subscriptions()
            assert subscriptions, "there are no subscriptions"
            for subscription in subscriptions:
                await database.save_subscription(subscription)


asyncio.run(main())
