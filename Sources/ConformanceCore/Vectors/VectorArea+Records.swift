extension VectorArea {
  /// Records and the calls about them.
  static func records() throws -> Self {
    let make = try VectorMaker()
    return Self(
      name: "records",
      about: "Records, with fields of every type, and the requests and responses about them.",
      vectors: [
        try make.message(
          "record_of_every_type",
          "A record with a field of every type.",
          "tidings.v1.Record",
          everyType
        ),
        try make.message(
          "empty_lists",
          "An empty list of a known type and of an unknown one differ from each other and from null.",
          "tidings.v1.Record",
          """
          {"recordId": {"recordName": "r"}, "fields": {
            "null": {},
            "strings": {"stringListValue": {}},
            "unknown": {"unknownListValue": {}}}}
          """
        ),
        try make.message(
          "defaults_with_presence",
          "Zero, the empty text and no bytes are values: a oneof member that is set is written.",
          "tidings.v1.Record",
          """
          {"fields": {
            "bytes": {"bytesValue": ""},
            "double": {"doubleValue": 0},
            "integer": {"int64Value": "0"},
            "string": {"stringValue": ""}}}
          """
        ),
        try make.message(
          "texts",
          "U+0000, characters beyond the basic plane, and a text that is not in normal form.",
          "tidings.v1.Record",
          #"""
          {"recordId": {"recordName": "a\u0000b"}, "fields": {
            "astral": {"stringValue": "\ud83d\ude08 \u263a"},
            "decomposed": {"stringValue": "e\u0301"},
            "quotes": {"stringValue": "\" \\ / \b \f \n \r \t"}}}
          """#
        ),
        try make.message(
          "integers",
          "The largest and the smallest, and what no double can hold.",
          "tidings.v1.FieldValue",
          """
          {"int64ListValue": {"values": [
            "9223372036854775807", "-9223372036854775808", "-1", "0", "9007199254740993"]}}
          """
        ),
        try make.message(
          "doubles",
          "Not only finite ones.",
          "tidings.v1.FieldValue",
          """
          {"doubleListValue": {"values": [
            0.1, -2.5, 1e300, 5e-324, "NaN", "Infinity", "-Infinity", 0]}}
          """
        ),
        try make.message(
          "save_request",
          "Saving and deleting under a policy, as a whole.",
          "tidings.v1.ModifyRecordsRequest",
          """
          {"databaseId": {"container": "notes", "environment": "ENVIRONMENT_PRODUCTION",
             "scope": "DATABASE_SCOPE_PRIVATE"},
           "recordsToSave": [
             {"recordId": {"recordName": "n1", "zoneId": {"zoneName": "work"}},
              "recordType": "Note", "fields": {"title": {"stringValue": "Hello"}},
              "changeTag": "1f",
              "parent": {"recordId": {"recordName": "folder"}, "action": "REFERENCE_ACTION_NONE"}}],
           "recordIdsToDelete": [{"recordName": "n2", "zoneId": {"zoneName": "work"}}],
           "savePolicy": "SAVE_POLICY_CHANGED_KEYS", "atomic": true,
           "clientChangeTokenData": "AQI="}
          """
        ),
        try make.message(
          "save_request_not_atomic",
          "`atomic` has presence: false differs from not said.",
          "tidings.v1.ModifyRecordsRequest",
          """
          {"recordsToSave": [{"recordType": "Note"}], "atomic": false}
          """
        ),
        try make.message(
          "save_response",
          "A record that was saved, one that was deleted, a conflict with both records, a cascade.",
          "tidings.v1.ModifyRecordsResponse",
          """
          {"results": [
             {"recordId": {"recordName": "a"}, "record": {
                "recordId": {"recordName": "a", "zoneId": {"zoneName": "_defaultZone",
                  "ownerName": "ada"}}, "recordType": "Note", "changeTag": "2",
                "created": {"timestamp": "2026-01-02T03:04:05Z", "userRecordName": "ada",
                  "deviceId": "tablet"}}},
             {"recordId": {"recordName": "b"}, "deleted": true},
             {"recordId": {"recordName": "c"},
              "error": {"code": "ERROR_CODE_SERVER_RECORD_CHANGED", "message": "changed",
                "retryAfter": "1.500s"},
              "serverRecord": {"changeTag": "9"}, "ancestorRecord": {"changeTag": "8"}}],
           "cascadedDeletions": [{"recordId": {"recordName": "d"}, "recordType": "Part",
             "targetId": {"recordName": "b"}}]}
          """
        ),
        try make.message(
          "fetch_request",
          "No desired keys at all differ from an empty list of them.",
          "tidings.v1.FetchRecordsRequest",
          """
          {"recordIds": [{"recordName": "a"}, {"recordName": "b"}], "desiredKeys": {}}
          """
        ),
        try make.message(
          "share",
          "A share with its participants.",
          "tidings.v1.Record",
          """
          {"recordId": {"recordName": "s"}, "recordType": "cloudkit.share", "share": {
             "rootRecordName": "n1", "publicPermission": "PARTICIPANT_PERMISSION_READ_ONLY",
             "participants": [
               {"userRecordName": "ada", "role": "PARTICIPANT_ROLE_OWNER",
                "permission": "PARTICIPANT_PERMISSION_READ_WRITE",
                "acceptanceStatus": "ACCEPTANCE_STATUS_ACCEPTED"}],
             "url": "tidings://share/abc"}, "shareRecordName": "s"}
          """
        ),
      ]
    )
  }

  /// A record with a field of every type.
  static let everyType = """
    {"recordId": {"recordName": "r1", "zoneId": {"zoneName": "work", "ownerName": "ada"}},
     "recordType": "Everything",
     "fields": {
       "asset": {"assetValue": {"checksum": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
         "size": "1048576"}},
       "assets": {"assetListValue": {"values": [{"checksum": "/w==", "size": "1"}]}},
       "bytes": {"bytesValue": "AP+AQA=="},
       "bytesList": {"bytesListValue": {"values": ["", "AQ=="]}},
       "double": {"doubleValue": -0.5},
       "doubles": {"doubleListValue": {"values": [1.5, 2.25]}},
       "encrypted": {"encryptedValue": {"type": "ENCRYPTED_TYPE_STRING", "keyId": "AQIDBAUGBwg=",
         "sealed": "CQgHBgUEAwIBAA=="}},
       "integer": {"int64Value": "-42"},
       "integers": {"int64ListValue": {"values": ["1", "-1"]}},
       "location": {"locationValue": {"latitude": 47.5, "longitude": -122.25,
         "horizontalAccuracy": 0, "altitude": 12.5, "timestamp": "2026-02-28T23:59:59.999Z"}},
       "locations": {"locationListValue": {"values": [{"latitude": 1}, {"longitude": 2}]}},
       "reference": {"referenceValue": {"recordId": {"recordName": "other"},
         "action": "REFERENCE_ACTION_DELETE_SELF"}},
       "references": {"referenceListValue": {"values": [
         {"recordId": {"recordName": "o"}, "action": "REFERENCE_ACTION_VALIDATE"}]}},
       "string": {"stringValue": "Grüße"},
       "strings": {"stringListValue": {"values": ["a", "", "b"]}},
       "timestamp": {"timestampValue": "1969-12-31T23:59:59.500Z"},
       "timestamps": {"timestampListValue": {"values": [
         "1970-01-01T00:00:00Z", "2026-07-01T12:00:00.000001Z", "9999-12-31T23:59:59.999999999Z"]}},
       "unknown": {"unknownListValue": {}}},
     "changeTag": "1a",
     "created": {"timestamp": "2026-01-01T00:00:00Z", "userRecordName": "ada", "deviceId": "d1"},
     "modified": {"timestamp": "2026-01-01T00:00:00.001Z", "userRecordName": "bob"}}
    """
}
