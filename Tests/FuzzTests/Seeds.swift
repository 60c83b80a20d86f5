internal import FuzzTargets
internal import RandomSupport
internal import TidingsBackup
internal import TidingsEncryption
internal import TidingsJSON
internal import TidingsKeys
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf

/// What the corpus began with: real messages and texts.
///
/// `TIDINGS_FUZZ_SEEDS=FOLDER` writes them there, to be looked at and checked in.
enum Seeds {
  static let all: [String: [[UInt8]]] = [
    "predicate-text": texts(predicates), "predicate-tree": trees, "schema-text": texts(schemas),
    "header": headers, "requests": requests.map { [$0.number] + $0.body },
    "push": pushes, "key-ring": texts([KeyRing([.init(EncryptionKey(), .seal)]).text]),
    "public-key": texts([KeyPair().publicKey.description]), "sealed-value": [sealed],
    "calls": calls, "frames": frames, "tokens": [[0, 0], [1, 0, 1], [2], [3, 0, 0, 0, 255]],
    "json-import": texts(lines), "web-json": texts(webBodies), "multipart": texts(forms),
    "key-file": texts(keyFiles), "share-url": texts(shareURLs),
    "configuration": texts(configurations), "backup": [Array("tidings backup\n".utf8)],
    "backup-manifest": [manifest], "predicate-json": texts(jsonPredicates),
    "predicate-format": texts(predicates + formats), "audit-line": texts(auditLines),
    "store-log": [[0x37, 0x7f, 0x06, 0x82, 0, 0x2d, 0xe2, 0x18, 0, 0, 0x10, 0]],
    "inbox-position": texts(["TDIP"]), "kit-archive": archives,
  ]

  private static let keyFiles = [KeyFileText.pair, KeyFileText.publicKey, "# nothing\n"]

  private enum KeyFileText {
    static let publicKey = "# a key\npublic-key \(KeyPair().publicKey)\n"
    static let pair: String = {
      let pair = KeyPair()
      return "public-key \(pair.publicKey)\nsecret-key \(KeyPair().publicKey)\n"
    }()
  }

  private static let shareURLs = [
    ShareURL(container: "app", environment: .production, token: (0..<16).map { $0 }).description,
    "tidings://share/app/development/AAAAAAAAAAAAAAAAAAAAAA", "tidings://share///",
  ]

  private static let configurations = [
    "# a comment\ndata = /srv/tidings\n\n  rpc=tcp://*:5570  \nlog-level = info = debug\n",
    "data", "= x", "unknown = 1\r\n",
  ]

  private static let manifest = Array(
    BackupManifest(
      schema: 3,
      incarnation: "00ff",
      created: "2026-11-25T00:00:00Z",
      serverVersion: "1",
      pageBytes: 4096,
      pageCount: 7,
      assetCount: 1,
      assetBytes: 5,
      containerCount: 1,
      recordCount: 9
    ).json.description.utf8
  )

  private static let jsonPredicates = [
    #"{"text": "n > %@ AND %K IN %@", "arguments": [{"int64Value": "5"}, {"stringValue": "n"}, {"int64ListValue": {"values": ["1", "2"]}}]}"#,
    #"{"nodes": [{"comparison": {"fieldName": "n", "operator": "LESS_THAN", "values": [{"doubleValue": "NaN"}]}}, {"not": true}]}"#,
  ]

  private static let formats = [
    "%K == %@ AND 'it\\'s %@' != %d OR b IN %@", "n > %lld AND t < %f", "%", "\"%@\" = %@",
  ]

  private static let auditLines = [
    #"{"time":"2026-11-25T00:00:00.000Z","action":"RevokeKey","result":"done","user":"ada","count":1,"detail":"x"}"#
      + "\n",
    #"{"time":"2026-11-25T00:00:00.000Z","action":"handshake","result":"refused","address":"::1","count":7,"number":3,"previous":"00"}"#
      + "\n",
  ]

  /// Bodies of requests to the gateway.
  static let webBodies = [
    #"""
    {"recordType": "Houses", "filterBy": [{"fieldName": "n", "comparator": "GREATER_THAN", "fieldValue": {"value": 5}}], "sortBy": [{"fieldName": "n", "ascending": false}]}
    """#,
    #"""
    {"subscriptionID": "s", "subscriptionType": "query", "query": {"recordType": "A", "filterBy": [{"systemFieldName": "createdTimestamp", "comparator": "NOT_IN", "fieldValue": {"type": "TIMESTAMP_LIST", "value": [1, 2]}}]}, "firesOn": ["create"], "notificationInfo": {"alertBody": "x", "shouldBadge": true}}
    """#,
    #"""
    {"operationType": "create", "record": {"recordType": "A", "recordName": "r", "fields": {"a": {"value": [1, 2]}, "b": {"value": {"latitude": 1, "longitude": 2.5}}, "c": {"value": "AAE=", "type": "BYTES"}}}}
    """#,
    #"""
    {"recordName": "r", "recordType": "A", "recordChangeTag": "1", "zoneID": {"zoneName": "z", "ownerRecordName": "ada"}, "parent": {"recordName": "p"}, "fields": {"s": {"value": "x"}, "d": {"value": 1.5}, "t": {"value": -1.5, "type": "TIMESTAMP"}, "r": {"value": {"recordName": "q", "action": "DELETE_SELF"}}, "i": {"value": "9223372036854775807", "type": "INT64"}, "e": {"value": []}}}
    """#,
    #"""
    {"recordType": "cloudkit.share", "forRecord": {"recordName": "r"}, "publicPermission": "READ_ONLY", "participants": [{"type": "USER", "permission": "READ_WRITE", "userIdentity": {"lookupInfo": {"userRecordName": "ben"}}}]}
    """#,
    #"""
    {"emailAddress": "a@b.example"}
    """#,
  ]

  /// Bodies that are forms.
  static let forms = [
    "--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nabc\r\n--x--\r\n",
    "--x\r\n\r\n\r\n--x--",
    "--x\r\nA: b\r\n\r\na\r\n--x\r\n\r\nb\r\n--x--",
  ]

  private static func texts(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

  static let predicates = [
    "TRUEPREDICATE", "price < 500000 AND city = \"Berlin\"", "NOT (a = 1 OR b != 2)",
    "tags CONTAINS 'x' AND ANY tags BEGINSWITH[c] 'Y'", "self CONTAINS ALL 'two words'",
    "a BETWEEN {1, 5} OR city IN {'x', 'y', %@}", "%K LIKE[c] '*a?b\\\\*' && x == %@",
    "distanceToLocation:fromLocation:(place, %@) < 1000.5", "NONE tags = 'a'", "ALL tags > 3",
    "___createTime > now AND recordName ENDSWITH 'z'", "'b' IN tags", "5 <= price",
    "parent = reference('r') OR modificationDate < timestamp('2026-01-02T03:04:05Z')",
  ]

  private static let trees: [[UInt8]] =
    (0..<12).map { seed in
      var random = RandomPredicates(seed: UInt64(seed))
      guard let predicate = try? Predicate(root: random.node()) else { return [] }
      return TidingsV1.Predicate(text: predicate.text).encoded()
    } + [
      TidingsV1.Predicate(nodes: [
        .init(
          node: .comparison(
            .init(fieldName: "price", operator: .lessThan, values: [.init(value: .int64Value(5))])
          )
        ), .init(node: .not(true)), .init(node: .constant(true)), .init(node: .orCount(2)),
      ]).encoded()
    ]

  private static let schemas: [String] =
    (0..<6).map { seed in
      var random = RandomSchemas(seed: UInt64(seed))
      return random.schema().text
    } + [
      """
      DEFINE SCHEMA CREATE ROLE editor; RECORD TYPE "grant" ( "___createTime" TIMESTAMP SORTABLE,
      area NUMBER PREFERRED AS DOUBLE, pin ENCRYPTED STRING, l LIST<ENCRYPTED INT64>, // comment
      tags LIST<STRING> QUERYABLE SEARCHABLE, GRANT READ, WRITE TO "editor" -- comment
      );
      """
    ]

  private static let headers = [
    TidingsRpcV1.RequestHeader(callID: 7, method: "tidings.v1.RecordService/ModifyRecords"),
    .init(
      callID: .max,
      kind: .credit,
      timeoutMs: 5,
      metadata: ["tidings-user": "ada", "k": "v"],
      idempotencyKey: "key",
      credit: 3
    ),
  ].map { $0.encoded() }

  private static let sealed = EncryptionKey().seal(
    [1, 2, 3],
    for: FieldLocation(
      container: "",
      environment: "",
      zoneOwner: "",
      zoneName: "",
      recordName: "",
      field: ""
    )
  )

  private static let pushes: [[UInt8]] = {
    let notification = TidingsV1.Notification(
      notificationID: "7-3",
      position: .init(channelID: "7", sequenceNumber: 3)
    )
    return [
      TidingsV1.Push(sequenceNumber: 3, content: .notification(notification)),
      .init(sequenceNumber: 3, content: .sealedNotification([UInt8](repeating: 9, count: 60))),
      .init(content: .readMarks(.init(notificationIDs: ["7-3"]))), .init(sequenceNumber: 2),
    ].map { $0.encoded() }
  }()

  private static let lines = [
    #"{"recordType":"T","recordName":"a","fields":{"s":"x","i":-5,"d":1.5e3,"t":true,"n":null}}"#,
    #"{"recordType":"T","zoneName":"q","parent":{"recordName":"p","action":"deleteSelf"}}"#,
    #"{"recordType":"T","fields":{"t":{"timestamp":"2026-01-02T03:04:05Z"},"l":[1,2.5]}}"#,
    #"{"recordType":"T\n","fields":{"r":{"reference":"b"},"p":{"location":{"latitude":1,"longitude":2}}}}"#,
    #"{"recordType":"T","fields":{"b":{"bytes":"AAE="},"a":{"asset":{"checksum":"","size":1}}}}"#,
    #"{"recordType":"T","ownerName":"o","changeTag":"7","created":{"timestamp":"x"},"fields":{}}"#,
    #"{"recordType":"T","fields":{"s":{"sealed":{"type":"STRING","keyId":"00","bytes":"AA=="}}}}"#,
  ]

  // MARK: Requests

  private static func request(
    _ name: String,
    _ message: some Message
  ) -> (number: UInt8, body: [UInt8]) {
    let number = FuzzTarget.methodNames.firstIndex { $0.hasSuffix("/" + name) } ?? 0
    return (UInt8(number), message.encoded())
  }

  private static let requests: [(number: UInt8, body: [UInt8])] = {
    let record = TidingsV1.Record(
      recordID: .init(recordName: "r1", zoneID: .init(zoneName: "z")),
      recordType: "House",
      fields: [
        "price": .init(value: .int64Value(5)), "city": .init(value: .stringValue("Oslo")),
        "tags": .init(value: .stringListValue(.init(values: ["a", "b"]))),
        "place": .init(value: .locationValue(.init(latitude: 1, longitude: 2))),
        "seen": .init(value: .timestampValue(.init(seconds: 1))),
        "next": .init(value: .referenceValue(.init(recordID: .init(recordName: "r2")))),
        "pin": .init(
          value: .encryptedValue(
            .init(type: .string, keyID: .init(repeating: 1, count: 8), sealed: sealed)
          )
        ),
      ]
    )
    let subscription = TidingsV1.Subscription(
      subscriptionID: "s",
      type: .query,
      recordType: "House",
      predicate: .init(text: "price < 7"),
      firesOnRecordCreation: true,
      notificationInfo: .init(alertLocalizationArgs: ["city"], desiredKeys: ["price"])
    )
    let database = TidingsV1.DatabaseID(container: "home", scope: .public)
    return [
      request(
        "ModifyRecordZones",
        TidingsV1.ModifyRecordZonesRequest(zonesToSave: [.init(zoneID: .init(zoneName: "z"))])
      ),
      request("FetchRecordZones", TidingsV1.FetchRecordZonesRequest()),
      request(
        "ModifySubscriptions",
        TidingsV1.ModifySubscriptionsRequest(subscriptionsToSave: [subscription])
      ),
      request("FetchSubscriptions", TidingsV1.FetchSubscriptionsRequest(wantsHealth: true)),
      request("RegisterDevice", TidingsV1.RegisterDeviceRequest()),
      request(
        "ModifyRecords",
        TidingsV1.ModifyRecordsRequest(recordsToSave: [record], savePolicy: .allKeys)
      ),
      request(
        "ModifyRecords",
        TidingsV1.ModifyRecordsRequest(
          databaseID: database,
          recordsToSave: [.init(recordType: "Post")],
          recordIDsToDelete: [.init(recordName: "r9")],
          atomic: false
        )
      ),
      request(
        "FetchRecords",
        TidingsV1.FetchRecordsRequest(recordIDs: [record.recordID ?? .init()])
      ),
      request(
        "QueryRecords",
        TidingsV1.QueryRecordsRequest(
          recordType: "House",
          predicate: .init(text: "price > 1"),
          sortDescriptors: [.init(fieldName: "price")],
          limit: 3
        )
      ),
      request(
        "ExplainQuery",
        TidingsV1.ExplainQueryRequest(
          query: .init(recordType: "House", predicate: .init(text: "TRUEPREDICATE"))
        )
      ),
      request(
        "FetchRecordZoneChanges",
        TidingsV1.FetchRecordZoneChangesRequest(
          zones: [.init(zoneID: .init(zoneName: "z"), recordTypes: ["House"], limit: 2)]
        )
      ),
      request("FetchDatabaseChanges", TidingsV1.FetchDatabaseChangesRequest()),
      request("FetchNotificationChanges", TidingsV1.FetchNotificationChangesRequest(limit: 2)),
      request(
        "MarkNotificationsRead",
        TidingsV1.MarkNotificationsReadRequest(notificationIDs: ["1-1"])
      ),
      request("TraceNotification", TidingsV1.TraceNotificationRequest(notificationID: "1-1")),
      request("LeaseNotifications", TidingsV1.LeaseNotificationsRequest(group: "g", limit: 2)),
      request(
        "SettleNotifications",
        TidingsV1.SettleNotificationsRequest(group: "g", leaseIDs: ["1-1-1-1"])
      ),
      request("ModifyBadge", TidingsV1.ModifyBadgeRequest()),
      request("RotateChannels", TidingsV1.RotateChannelsRequest()),
      request("ApplySchema", TidingsV1.ApplySchemaRequest(container: "other", text: schemas[0])),
      request("FetchSchema", TidingsV1.FetchSchemaRequest()),
      request("UploadAsset", TidingsV1.UploadAssetRequest()),
      request("DownloadAsset", TidingsV1.DownloadAssetRequest()),
      request(
        "ExplainSubscriptions",
        TidingsV1.ExplainSubscriptionsRequest()
      ),
    ]
  }()

  /// Values of archives: whose, a flag, and messages.
  private static let archives: [[UInt8]] = {
    let sorted = TidingsV1.QueryRecordsRequest(
      recordType: "House",
      predicate: .init(
        text: "price > %@ AND %K == 'x'",
        arguments: [.init(value: .int64Value(5)), .init(value: .stringValue("city"))]
      ),
      sortDescriptors: [
        .init(fieldName: "price", descending: true),
        .init(fieldName: "place", relativeLocation: .init(latitude: 1, longitude: 2)),
      ]
    )
    let subscription = TidingsV1.Subscription(
      subscriptionID: "s",
      type: .query,
      recordType: "House",
      predicate: .init(text: "price < 7"),
      firesOnRecordCreation: true,
      notificationInfo: .init(alertBody: "x", desiredKeys: ["price"])
    )
    let record = TidingsV1.Record(
      recordID: .init(recordName: "r", zoneID: .init(zoneName: "z", ownerName: "ada")),
      recordType: "House",
      fields: ["price": .init(value: .int64Value(5))],
      changeTag: "7",
      created: .init(timestamp: .init(seconds: 1, nanos: 5), userRecordName: "ada"),
      parent: .init(recordID: .init(recordName: "p"))
    )
    let zone = TidingsV1.Subscription(
      subscriptionID: "z",
      type: .recordZone,
      zoneID: .init(zoneName: "z")
    )
    let notification = TidingsV1.Notification(
      notificationID: "7-3",
      type: .query,
      subscriptionID: "s"
    )
    let participant = TidingsV1.Participant(userRecordName: "ada")
    func archive(_ kind: UInt8, _ flag: UInt8, _ values: [UInt8]...) -> [UInt8] {
      [kind, flag] + values.flatMap(\.self)
    }
    func keys(_ key: String) -> [UInt8] { framed(TidingsV1.DesiredKeys(keys: [key]).encoded()) }
    let name = framed(Array("ada".utf8))
    let files = keys("photo\ntrue\n/tmp/photo")
    return [
      archive(0, 1, sorted.encoded()), archive(1, 0, subscription.encoded()),
      archive(1, 1, zone.encoded()),
      archive(2, 1, keys("price"), keys("pin"), files, name, record.encoded()),
      archive(3, 2, name, notification.encoded()), archive(4, 0, name, participant.encoded()),
    ]
  }()

  private static func framed(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8(bytes.count & 0xff), UInt8(bytes.count >> 8)] + bytes
  }

  private static let calls: [[UInt8]] =
    requests.map { [$0.number, 0] + framed($0.body) } + [
      Array(requests.prefix(8).map { [$0.number, 0] + framed($0.body) }.joined()),
      Array(requests.dropFirst(5).prefix(8).map { [$0.number, 0] + framed($0.body) }.joined()),
    ]

  private static let frames: [[UInt8]] = [
    framed(headers[0]) + framed(requests[5].body), framed([]) + framed([]), framed(headers[1]),
    framed([]) + framed(headers[0]) + framed([1, 2, 3]),
  ]
}
