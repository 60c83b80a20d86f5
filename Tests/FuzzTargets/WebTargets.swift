#if DEBUG
internal import TidingsGateway
internal import TidingsHTTP
internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf

@testable internal import TidingsWeb

extension FuzzTarget {
  /// What the gateway reads of HTTP's bodies.
  static let web = [
    FuzzTarget("web-json") { bytes in
      guard let value = try? JSONValue(parsing: Array(bytes)), let object = value.object else {
        return
      }
      let input = WebInput(object)
      _ = try refusable { try QueryDictionary(input, in: database) }
      _ = try refusable { try SubscriptionDictionary.read(input, in: database) }
      _ = try refusable { try ShareDictionary.read(input) }
      _ = try refusable { try UserDictionary.lookUp(input) }
      _ = try refusable {
        try RecordOperation(
          input,
          zone: nil,
          schema: nil,
          shares: [:],
          desiredKeys: nil,
          in: database
        )
      }
      let record = try refusable { try RecordDictionary.read(input, in: nil, of: database) }
      guard let record else { return }
      try checkRoundTrip(of: record)
    },
    FuzzTarget("multipart") { bytes in
      guard let file = HTTPFile(in: "/tmp") else { return }
      _ = file.append(bytes)
      let found = try refusable {
        try MultipartPart.range(of: file, contentType: "multipart/form-data; boundary=x")
      }
      guard let found else { return }
      let all = Array(bytes)
      try require(found.upperBound <= all.count, "the part ends behind the body")
      try require(
        all.starts(with: Array("--x\r\n".utf8)),
        "the body does not begin with the boundary"
      )
      let head = all[..<found.lowerBound]
      try require(
        head.suffix(4).elementsEqual("\r\n\r\n".utf8),
        "the head of the part does not end"
      )
      let end = Array("\r\n--x".utf8)
      try require(
        all[found.upperBound...].starts(with: end + Array("--".utf8)),
        "the part does not end"
      )
      try require(all[found].firstRange(of: end) == nil, "the part has the boundary in it")
    },
  ]

  private static let database = WebDatabase(
    container: "app",
    environment: .development,
    scope: .private,
    user: "ada"
  )

  /// What was read, or `nil` when it was refused with a reason that can be shown.
  private static func refusable<Value>(
    _ read: () throws -> Value
  ) throws -> Value? {
    do {
      return try read()
    } catch let error as WebFailure {
      try require(error.code == .badRequest, "refused with \(error.code)")
      try require(!error.reason.isEmpty, "refused without a reason")
      return nil
    }
  }

  /// What was read is written so that it is read as the same again.
  private static func checkRoundTrip(of record: TidingsV1.Record) throws {
    let json = RecordDictionary.json(record, .init(), in: database)
    let again = try refusable {
      try RecordDictionary.read(WebInput(json), in: nil, of: database)
    }
    guard let again else { throw FuzzFinding(description: "what was written is refused: \(json)") }
    let fields = record.fields.filter { $0.value.value != nil }
    try require(
      again.fields.keys.sorted() == fields.keys.sorted(),
      "other fields: \(again.fields) instead of \(fields)"
    )
    let text = RecordDictionary.json(again, .init(), in: database)
    try require(text == json, "\(text) instead of \(json)")
  }
}
#endif
