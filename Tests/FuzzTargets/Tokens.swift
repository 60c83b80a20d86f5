#if DEBUG
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// Real tokens of a real server: nobody can make another one out of them.
final class Tokens: Sendable {
  static let shared: Tokens = {
    do {
      return try Tokens()
    } catch {
      fatalError("no tokens: \(error)")
    }
  }()

  /// A token, and how to use it.
  struct Token: Sendable {
    let name: String
    var bytes: [UInt8]
    /// It is as the server made it.
    var isReal: Bool
    let use: @Sendable ([UInt8]) throws -> Bool

    /// A real token is taken, any other refused.
    func check() throws {
      let isTaken = try use(bytes)
      try require(isTaken == isReal, "\(name) \(isReal ? "real" : "forged"): taken \(isTaken)")
    }
  }

  private let tokens: [Token]

  private init() throws {
    let zone = TidingsV1.ZoneID(zoneName: "tokens")
    _ = try Self.call(
      TidingsV1.ZoneService.Methods.modifyRecordZones,
      TidingsV1.ModifyRecordZonesRequest(zonesToSave: [.init(zoneID: zone)]),
      TidingsV1.ModifyRecordZonesResponse.self
    )
    _ = try Self.call(
      TidingsV1.RecordService.Methods.modifyRecords,
      TidingsV1.ModifyRecordsRequest(
        recordsToSave: (0..<3).map {
          .init(recordID: .init(recordName: "t\($0)", zoneID: zone), recordType: "Token")
        },
        savePolicy: .allKeys
      ),
      TidingsV1.ModifyRecordsResponse.self
    )
    tokens = [
      try Self.zoneToken(zone), try Self.databaseToken(), try Self.cursor(zone),
      try Self.notificationToken(),
    ]
  }

  /// A token with something added to its bytes, modulo 256.
  func mutated(_ number: Int, _ changes: Slice<UnsafeRawBufferPointer>) throws -> Token {
    var token = tokens[number % tokens.count]
    let original = token.bytes
    for (index, change) in changes.enumerated() {
      if index < token.bytes.count {
        token.bytes[index] &+= change
      } else {
        token.bytes.append(change)
      }
      if token.bytes.count > 4096 { break }
    }
    // An odd length cuts it off where the changes end.
    if changes.count % 2 == 1 { token.bytes = Array(token.bytes.prefix(changes.count)) }
    // No token at all means the beginning.
    if token.bytes.isEmpty { token.bytes = original }
    token.isReal = token.bytes == original
    return token
  }

  // MARK: The tokens

  private static func zoneToken(_ zone: TidingsV1.ZoneID) throws -> Token {
    let ask: @Sendable ([UInt8]) throws -> TidingsV1.ZoneChanges? = { token in
      try call(
        TidingsV1.RecordService.Methods.fetchRecordZoneChanges,
        TidingsV1.FetchRecordZoneChangesRequest(
          zones: [.init(zoneID: zone, changeToken: token, limit: 1)]
        ),
        TidingsV1.FetchRecordZoneChangesResponse.self
      )?.zones.first
    }
    return Token(name: "zone token", bytes: try ask([])?.changeToken ?? [], isReal: true) { token in
      guard let changes = try ask(token) else { return false }
      return changes.error == nil
    }
  }

  private static func databaseToken() throws -> Token {
    let ask: @Sendable ([UInt8]) throws -> TidingsV1.FetchDatabaseChangesResponse? = { token in
      try call(
        TidingsV1.RecordService.Methods.fetchDatabaseChanges,
        TidingsV1.FetchDatabaseChangesRequest(changeToken: token, limit: 1),
        TidingsV1.FetchDatabaseChangesResponse.self
      )
    }
    return Token(name: "database token", bytes: try ask([])?.changeToken ?? [], isReal: true) {
      try ask($0) != nil
    }
  }

  private static func cursor(_ zone: TidingsV1.ZoneID) throws -> Token {
    let ask: @Sendable ([UInt8]) throws -> TidingsV1.QueryRecordsResponse? = { cursor in
      let query = TidingsV1.QueryRecordsRequest(
        recordType: "Token",
        predicate: .init(text: "TRUEPREDICATE"),
        zoneID: zone,
        limit: 1
      )
      return try call(
        TidingsV1.RecordService.Methods.queryRecords,
        cursor.isEmpty ? query : .init(limit: 1, cursor: cursor),
        TidingsV1.QueryRecordsResponse.self
      )
    }
    return Token(name: "cursor", bytes: try ask([])?.cursor ?? [], isReal: true) { token in
      try ask(token) != nil
    }
  }

  private static func notificationToken() throws -> Token {
    let ask: @Sendable ([UInt8]) throws -> TidingsV1.FetchNotificationChangesResponse? = { token in
      try call(
        TidingsV1.NotificationService.Methods.fetchNotificationChanges,
        TidingsV1.FetchNotificationChangesRequest(changeToken: token, limit: 1),
        TidingsV1.FetchNotificationChangesResponse.self
      )
    }
    return Token(name: "notification token", bytes: try ask([])?.changeToken ?? [], isReal: true) {
      try ask($0) != nil
    }
  }

  /// The response; `nil`: the call was refused.
  private static func call<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ request: Request,
    _: Response.Type
  ) throws -> Response? {
    let (answer, body) = try ServerUnderTest.shared.call(
      method.fullName,
      request.encoded(),
      as: "tokens"
    )
    if answer.status == 0 { return try Response(decoding: body) }
    let code = StatusCode(rawValue: answer.status)
    try require(
      ![.internal, .unknown, .dataLoss].contains(code),
      "\(method.name) fails with \(answer)"
    )
    return nil
  }
}
#endif
