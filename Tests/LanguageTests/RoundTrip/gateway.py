"""Sends back all that rpcgw answers, as it came."""

import json
import os
import urllib.request

task = json.loads(os.environ["TIDINGS_ROUND_TRIP"])
style = {"numbersAsStrings": True} if task["numbersAsStrings"] else {}


def call(endpoint, body, user="ada", database="private"):
    url = f"{task['baseURL']}/database/1/default/development/{database}/{endpoint}"
    request = urllib.request.Request(
        f"{url}?ckAPIToken=x&ckWebAuthToken=dev:{user}", json.dumps(body).encode(), method="POST"
    )
    try:
        with urllib.request.urlopen(request) as answer:
            result = json.load(answer)
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{endpoint} {body}: {error.read().decode()}") from None
    failed = [item for items in result.values() if isinstance(items, list) for item in items if "serverErrorCode" in item]
    if failed:
        raise SystemExit(f"{endpoint}: {failed}")
    return result


def records(zone, names, **options):
    zone_id = {"zoneName": zone["name"], **({"ownerRecordName": zone["owner"]} if zone["owner"] else {})}
    found = call("records/lookup", {"records": [{"recordName": name, "zoneID": zone_id} for name in names], **style}, **options)
    operations = [{"operationType": "update", "record": record} for record in found["records"]]
    call("records/modify", {"operations": operations, **style}, **options)
    # What names a record may be all that is known of it.
    call("records/lookup", {"records": found["records"]}, **options)


for zone in task["zones"]:
    records(zone, zone["records"])
for zone in task["shared"]:
    records(zone, zone["records"], user="ben", database="shared")
for user, database in ("ada", "private"), ("ben", "shared"):
    zones = call("zones/list", {}, user, database)["zones"]
    call("zones/lookup", {"zones": zones}, user, database)
    if database == "private":
        call("zones/modify", {"operations": [{"operationType": "create", "zone": zone} for zone in zones if zone["zoneID"]["zoneType"] != "DEFAULT_ZONE"]})
    subscriptions = call("subscriptions/list", {}, user, database)["subscriptions"]
    assert subscriptions, "there are no subscriptions"
    operations = [{"operationType": "update", "subscription": one} for one in subscriptions]
    call("subscriptions/modify", {"operations": operations}, user, database)
    call("subscriptions/lookup", {"subscriptions": subscriptions}, user, database)
users = call("users/lookup/email", {"users": [{"emailAddress": "ada@example.org"}]})["users"]
users += call("users/caller", {})["users"]
assert len(users) == 2, users
assert call("users/discover", {"lookupInfos": users})["users"][0]["nameComponents"]["givenName"] == "Ada"
