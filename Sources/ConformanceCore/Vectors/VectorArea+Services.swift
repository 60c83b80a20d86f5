extension VectorArea {
  /// Requests and responses of the services, but those about records.
  static func services() throws -> Self {
    let make = try VectorMaker()
    return Self(
      name: "services",
      about:
        "Requests and responses: zones, queries, subscriptions, feeds, notifications, accounts.",
      vectors: try queries(make) + subscriptions(make) + feeds(make) + others(make)
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
