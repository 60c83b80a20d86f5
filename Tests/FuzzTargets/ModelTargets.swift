#if DEBUG
internal import TidingsMatcher
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsCodec

@testable internal import TidingsEngine
@testable internal import TidingsService

extension FuzzTarget {
  /// The languages that callers write in.
  static let model = [
    FuzzTarget("predicate-text") { bytes in
      guard let text = text(bytes) else { return }
      guard
        let predicate = try refusable(
          PredicateError.self,
          { try Predicate(text: text, arguments: arguments(of: text), now: now) }
        )
      else { return }
      try check(predicate)
    },
    FuzzTarget("predicate-tree") { bytes in
      guard let message = try? TidingsV1.Predicate(decoding: Array(bytes)),
        let predicate = try? message.model("predicate", isStored: false)
      else { return }
      try check(predicate)
    },
    FuzzTarget("schema-text") { bytes in
      guard let text = text(bytes),
        let schema = try refusable(SchemaError.self, { try Schema(text: text) })
      else { return }
      let printed = schema.text
      let again = try Schema(text: printed)
      try require(again == schema, "the text of a schema is another schema:\n\(printed)")
      try require(again.text == printed, "the text of a schema is not stable:\n\(printed)")
      try require(
        printed.utf8.count <= schema.textBytesMax + 100,
        "the text is longer than its bound"
      )
    },
  ]

  private static let now = Timestamp(millisecondsSince1970: 1_700_000_000_000)

  /// What a parser gives, or `nil` when it refuses with a reason that can be shown.
  private static func refusable<Value, Failure: Error & CustomStringConvertible>(
    _: Failure.Type,
    _ parse: () throws -> Value
  ) throws -> Value? {
    do {
      return try parse()
    } catch let error as Failure {
      let reason = "\(error)"
      try require(
        !reason.isEmpty && reason.utf8.count < 4096,
        "no reason to show: \(reason.prefix(99))"
      )
      return nil
    }
  }

  /// As many arguments as the text asks for, of all kinds.
  private static func arguments(of text: String) -> [FieldValue] {
    let values: [FieldValue] = [
      .string("price"), .int64(5), .string("ä\u{0}é"), .double(-0.5), .stringList(["a", "b"]),
      .timestamp(now), .bytes([0, 255]), .location(Location(latitude: 1, longitude: -180)),
      .reference(Reference(recordID: RecordID(recordName: "r"))), .int64List([1, 2]),
    ]
    return (0..<min(text.count { $0 == "%" }, 300)).map { values[$0 % values.count] }
  }

  private static let records: [Record] = {
    var records = [Record(recordID: RecordID(recordName: "empty"), recordType: "T")]
    for (index, value) in [
      FieldValue.int64(5), .string("ä b"), .double(.greatestFiniteMagnitude), .bytes([]),
      .stringList(["a", "ß"]), .int64List([]), .timestamp(now), .unknownList,
      .location(Location(latitude: 90, longitude: 180)), .string(""),
      .reference(Reference(recordID: RecordID(recordName: "r"))),
      .encrypted(EncryptedValue(type: .string, keyID: [], sealed: [])),
    ].enumerated() {
      var record = Record(recordID: RecordID(recordName: "r\(index)"), recordType: "T")
      for name in ["a", "b", "price", "city", "tags", "place", "x"] { record.fields[name] = value }
      record.created = Record.ModificationInfo(
        timestamp: now,
        caller: Caller(user: "ada", device: "")
      )
      record.modified = record.created
      record.changeTag = "1"
      records.append(record)
    }
    return records
  }()

  /// Printed, taken apart and indexed, a predicate means the same.
  private static func check(_ predicate: Predicate) throws {
    let printed = predicate.text
    let again = try Predicate(canonicalText: printed)
    try require(again == predicate, "the text of a predicate is another one: \(printed)")
    try require(again.hashValue == predicate.hashValue, "equal and differently hashed: \(printed)")
    try require(again.text == printed, "the text is not stable: \(printed), \(again.text)")
    try require(
      try Predicate(postfix: predicate.postfix) == predicate,
      "the postfix form is another predicate: \(printed)"
    )
    try require(try Predicate(root: predicate.root) == predicate, "not canonical: \(printed)")

    let index = ChannelIndex()
    index.insert(
      WatchedChannel(
        channel: 1,
        database: 1,
        recordType: "T",
        predicate: predicate,
        options: .recordCreation
      )
    )
    for record in records {
      var firings: [Firing] = []
      index.match(database: 1, zone: 1, old: nil, new: record, at: now, into: &firings)
      let matches = predicate.matches(record)
      try require(firings.isEmpty == !matches, "the index does not agree on \(record): \(printed)")
      try require(again.matches(record) == matches, "printed it means another thing: \(printed)")
    }
    try require(index.remove(channel: 1), "the channel cannot be removed: \(printed)")
  }
}
#endif
