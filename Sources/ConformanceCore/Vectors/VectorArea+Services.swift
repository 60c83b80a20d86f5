extension VectorArea {
  /// Requests and responses of the services, but those about records.
  static func services() throws -> Self {
    let make = try VectorMaker()
    return Self(
      name: "services",
      about:
        "Requests and responses: zones, queries, subscriptions, feeds, notifications, accounts, deliveries, gateways.",
      vectors: try queries(make) + subscriptions(make) + feeds(make) + others(make)
        + deliveries(make)
    )
  }

  private static func queries(_ make: VectorMaker) throws -> [Vector] {
    [
      try make.message(
        "query_with_text",
        "A predicate in text, with arguments of several types.",
        "tidings.v1.QueryRecordsRequest",
        """
        {"recordType": "House", "predicate": {
           "text": "price < %@ AND built > %@ AND %K IN %@",
           "arguments": [{"int64Value": "500000"}, {"timestampValue": "1990-01-01T00:00:00Z"},
             {"stringValue": "city"}, {"stringListValue": {"values": ["Ulm", "Köln"]}}]},
         "sortDescriptors": [{"fieldName": "price", "descending": true},
           {"fieldName": "place", "relativeLocation": {"latitude": 48.4, "longitude": 9.9}}],
         "zoneId": {"zoneName": "work"}, "desiredKeys": {"keys": ["price", "city"]},
         "limit": 50, "cursor": "AAEC"}
        """
      ),
      try make.message(
        "query_with_nodes",
        "The same kind of thing as nodes, in postfix order.",
        "tidings.v1.Predicate",
        """
        {"nodes": [
           {"comparison": {"fieldName": "price", "operator": "PREDICATE_OPERATOR_BETWEEN",
             "values": [{"int64Value": "1"}, {"int64Value": "9"}]}},
           {"comparison": {"fieldName": "city", "operator": "PREDICATE_OPERATOR_BEGINS_WITH",
             "values": [{"stringValue": "K"}], "caseInsensitive": true}},
           {"comparison": {"fieldName": "tags", "operator": "PREDICATE_OPERATOR_EQUAL",
             "values": [{"stringValue": "x"}], "modifier": "PREDICATE_MODIFIER_ANY"}},
           {"not": true}, {"orCount": 2}, {"constant": false}, {"andCount": 3}]}
        """
      ),
      try make.message(
        "query_response",
        "A page, and where the next begins.",
        "tidings.v1.QueryRecordsResponse",
        """
        {"records": [{"recordId": {"recordName": "h1"}, "recordType": "House",
           "fields": {"price": {"int64Value": "7"}}}], "cursor": "/w=="}
        """
      ),
    ]
  }

  private static func subscriptions(_ make: VectorMaker) throws -> [Vector] {
    [
      try make.message(
        "subscriptions_request",
        "A query, a zone and a database subscription.",
        "tidings.v1.ModifySubscriptionsRequest",
        """
        {"databaseId": {"scope": "DATABASE_SCOPE_PUBLIC"},
         "subscriptionsToSave": [
           {"subscriptionId": "cheap", "type": "SUBSCRIPTION_TYPE_QUERY", "recordType": "House",
            "predicate": {"text": "price < 5"}, "firesOnRecordCreation": true,
            "firesOnRecordUpdate": true, "firesOnRecordDeletion": true, "firesOnce": true,
            "firesOnRecordEnter": true, "firesOnRecordLeave": true,
            "notificationInfo": {"alertBody": "A house", "alertLocalizationKey": "k",
              "alertLocalizationArgs": ["city", "price"], "title": "t", "soundName": "default",
              "desiredKeys": ["price"], "shouldBadge": true, "shouldSendContentAvailable": true,
              "category": "c", "collapseIdKey": "city"}},
           {"subscriptionId": "z", "type": "SUBSCRIPTION_TYPE_RECORD_ZONE",
            "zoneId": {"zoneName": "work"}},
           {"subscriptionId": "d", "type": "SUBSCRIPTION_TYPE_DATABASE"}],
         "subscriptionIdsToDelete": ["old"]}
        """
      ),
      try make.message(
        "subscriptions_response",
        "One that was saved, with the number from which it counts, one refused, one deleted.",
        "tidings.v1.ModifySubscriptionsResponse",
        """
        {"results": [
           {"subscriptionId": "cheap", "subscription": {"subscriptionId": "cheap",
             "effective": {"channelId": "c8", "sequenceNumber": "4294967296"}},
            "health": {"saved": "2026-05-05T05:05:05Z", "firedCount": "3"}},
           {"subscriptionId": "z", "error": {"code": "ERROR_CODE_SERVER_REJECTED_REQUEST",
             "message": "there is one like it", "existingSubscriptionId": "other"}},
           {"subscriptionId": "old", "deleted": true}]}
        """
      ),
      try make.message(
        "register_response",
        "Where pushes come from, with topics and keys.",
        "tidings.v1.RegisterDeviceResponse",
        """
        {"pushEndpoint": "tcp://127.0.0.1:5571", "controlTopic": "AAECAwQFBgcICQoLDA0ODw==",
         "channels": [{"position": {"channelId": "c8", "sequenceNumber": "41"},
           "topic": "Dw4NDAsKCQgHBgUEAwIBAA==",
           "key": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "subscriptionId": "cheap",
           "originTag": "18446744073709551614"}],
         "incarnation": "inc", "readMarkNumber": "3", "controlOriginTag": "1"}
        """
      ),
      try make.message(
        "notification",
        "A notification as the log has it.",
        "tidings.v1.Notification",
        notification
      ),
      try make.message(
        "notifications_page",
        "A page of the log; a badge of zero differs from none.",
        "tidings.v1.FetchNotificationChangesResponse",
        """
        {"notifications": [\(notification),
           {"notificationId": "c8-41", "type": "NOTIFICATION_TYPE_READ_NOTIFICATION"}],
         "changeToken": "AQIDBA==", "moreComing": true, "isSplit": true, "badgeValue": 0}
        """
      ),
      try make.message(
        "lease_response",
        "Work for one device of a group.",
        "tidings.v1.LeaseNotificationsResponse",
        """
        {"notifications": [{"notification": {"notificationId": "c8-42"}, "leaseId": "l1",
           "expires": "2026-05-05T05:05:35Z", "deliveryCount": 2, "isOwnChange": true}],
         "moreComing": true, "nextExpiry": "30s"}
        """
      ),
    ]
  }

  /// A notification with everything.
  static let notification = """
    {"notificationId": "c8-42", "type": "NOTIFICATION_TYPE_QUERY", "subscriptionId": "cheap",
     "databaseId": {"container": "default", "environment": "ENVIRONMENT_DEVELOPMENT",
       "scope": "DATABASE_SCOPE_PRIVATE"},
     "reason": "QUERY_NOTIFICATION_REASON_RECORD_ENTERED",
     "recordId": {"recordName": "h1", "zoneId": {"zoneName": "work", "ownerName": "ada"}},
     "recordType": "House",
     "recordFields": {"city": {"stringValue": "Köln"}, "price": {"int64Value": "-7"}},
     "notificationInfo": {"alertBody": "A house"}, "committed": "2026-05-05T05:05:05.123Z",
     "position": {"channelId": "c8", "sequenceNumber": "42"},
     "alertLocalizationValues": ["Köln", ""], "collapseId": "x", "omittedKeys": ["photo"],
     "userInfoJson": "{}"}
    """

  private static func feeds(_ make: VectorMaker) throws -> [Vector] {
    [
      try make.message(
        "zone_changes_request",
        "Two zones, one from the beginning, and a wait.",
        "tidings.v1.FetchRecordZoneChangesRequest",
        """
        {"databaseId": {"scope": "DATABASE_SCOPE_SHARED"}, "zones": [
           {"zoneId": {"zoneName": "work", "ownerName": "bob"}, "changeToken": "AAEC",
            "desiredKeys": {"keys": ["a"]}, "recordTypes": ["Note"], "limit": 10},
           {"zoneId": {"zoneName": "home"}}], "limit": 400, "maxWait": "25s"}
        """
      ),
      try make.message(
        "zone_changes_response",
        "Changes, deletions, and a zone whose token has expired.",
        "tidings.v1.FetchRecordZoneChangesResponse",
        """
        {"zones": [
           {"zoneId": {"zoneName": "work"}, "changedRecords": [{"recordId": {"recordName": "a"}}],
            "deletedRecords": [{"recordId": {"recordName": "b"}, "recordType": "Note"}],
            "changeToken": "AQ==", "moreComing": true, "clientChangeTokenData": "Ag=="},
           {"zoneId": {"zoneName": "home"}, "error": {"code": "ERROR_CODE_CHANGE_TOKEN_EXPIRED"}}]}
        """
      ),
      try make.message(
        "database_changes_response",
        "Zones that changed, and one that is gone.",
        "tidings.v1.FetchDatabaseChangesResponse",
        """
        {"changedZoneIds": [{"zoneName": "work"}],
         "deletedZones": [{"zoneId": {"zoneName": "old"}, "reason": "ZONE_DELETION_REASON_PURGED"}],
         "changeToken": "AQID"}
        """
      ),
    ]
  }

  private static func deliveries(_ make: VectorMaker) throws -> [Vector] {
    [
      try make.message(
        "delivery",
        "What a sender leases: the address with its secrets, and the notification.",
        "tidings.v1.Delivery",
        """
        {"leaseId": "12-7", "deliveryId": "msg_c8-42_0f3a5c719e2b4d6", "targetId": "0f3a5c719e2b4d6",
         "userName": "ada", "address": {"webhook": {"url": "https://example.org/tidings",
           "secret": "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX",
           "previousSecret": "whsec_FxYVFBMSERAPDg0MCwoJCAcGBQQDAgEA",
           "previousSecretExpires": "2026-05-06T05:05:05Z"}},
         "notification": \(notification), "attemptCount": 2, "created": "2026-05-05T05:05:06Z",
         "targetAdded": "2026-05-04T05:05:05.123Z"}
        """
      ),
      try make.message(
        "delivery_targets",
        "Addresses of the other kinds.",
        "tidings.v1.FetchDeliveryTargetsResponse",
        """
        {"targets": [
           {"targetId": "0f3a5c719e2b4d6", "device": "phone", "address": {"apns": {
              "deviceToken": "AAECAw==", "topic": "org.example", "isSandbox": true}},
            "created": "2026-05-05T05:05:05Z", "failingSince": "2026-05-05T06:05:05Z",
            "lastError": "status 500", "waitingCount": 3, "deadLetterCount": 1},
           {"targetId": "1f3a5c719e2b4d6", "address": {"webPush": {"endpoint": "https://push.example",
              "publicKey": "BAEC", "authSecret": "AAECAwQFBgcICQoLDA0ODw=="}}},
           {"targetId": "2f3a5c719e2b4d6", "address": {"fcm": {"registrationToken": "a:b"}}}]}
        """
      ),
      try make.message(
        "settle_deliveries",
        "Each outcome.",
        "tidings.v1.SettleDeliveriesRequest",
        """
        {"settlements": [
           {"leaseId": "1-7", "sent": true}, {"leaseId": "2-7", "retryAfter": "5s", "error": "status 503"},
           {"leaseId": "3-7", "givenUp": true, "error": "status 400"},
           {"leaseId": "4-7", "targetGone": true, "targetAdded": "2026-05-04T05:05:05.123Z"},
           {"leaseId": "5-7", "postponed": "0.100s"}]}
        """
      ),
      try make.message(
        "web_credential",
        "What an API token is for.",
        "tidings.v1.FetchWebCredentialResponse",
        """
        {"kind": "WEB_TOKEN_KIND_API_TOKEN", "container": "app",
         "environment": "ENVIRONMENT_PRODUCTION",
         "allowedOrigins": ["https://example.org", "https://example.com"],
         "callbackUrl": "https://example.org/done", "label": "website",
         "expires": "2027-05-05T05:05:05Z"}
        """
      ),
      try make.message(
        "session_handle",
        "What stands for a session.",
        "tidings.v1.FetchSessionHandleResponse",
        """
        {"sessionHandle": "h12.AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"}
        """
      ),
    ]
  }

  private static func others(_ make: VectorMaker) throws -> [Vector] {
    [
      try make.message(
        "zones_request",
        "A zone to make and one to delete.",
        "tidings.v1.ModifyRecordZonesRequest",
        """
        {"zonesToSave": [{"zoneId": {"zoneName": "work"}}], "zoneIdsToDelete": [{"zoneName": "old"}],
         "deletionReason": "ZONE_DELETION_REASON_ENCRYPTED_DATA_RESET"}
        """
      ),
      try make.message(
        "zones_response",
        "What a zone can do.",
        "tidings.v1.ModifyRecordZonesResponse",
        """
        {"results": [{"zoneId": {"zoneName": "work"}, "zone": {"zoneId": {"zoneName": "work"},
           "capabilities": {"fetchChanges": true, "atomic": true}, "sequenceNumber": "12"}}]}
        """
      ),
      try make.message(
        "share_urls",
        "Texts that clients pass on as they are.",
        "tidings.v1.AcceptSharesRequest",
        """
        {"urls": ["tidings://share/abc", ""]}
        """
      ),
      try make.message(
        "nothing",
        "A message without fields has no bytes.",
        "tidings.v1.FetchUserRecordIDRequest",
        "{}"
      ),
    ]
  }
}
