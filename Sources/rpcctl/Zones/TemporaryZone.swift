internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// A zone of our own that is gone afterwards, with its records and what was subscribed to it.
struct TemporaryZone: Sendable {
  let id: TidingsV1.ZoneID
  let databaseID: TidingsV1.DatabaseID
  let transport: any ClientTransport
  let options: CallOptions

  /// Runs a body with a new zone, and removes the zone whatever comes of it, also when the task is
  /// cancelled meanwhile.
  ///
  /// - Parameters:
  ///   - prefix: What the zone's name begins with.
  ///   - invocation: Says which database.
  ///   - session: Carries the calls.
  ///   - body: Gets the zone.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws; when the zone cannot be made or removed.
  static func with<Value: Sendable>(
    _ prefix: String,
    _ invocation: Invocation,
    _ session: Session,
    _ body: (TemporaryZone) async throws -> Value
  ) async throws -> Value {
    let name = "\(prefix)-\(String(UInt64.random(in: .min ... .max), radix: 16))"
    let zone = TemporaryZone(
      id: .init(zoneName: name),
      databaseID: invocation.settings.databaseID,
      transport: session.transport,
      options: invocation.callOptions
    )
    do {
      try await zone.create()
      let value = try await body(zone)
      try await zone.remove()
      return value
    } catch {
      // Why it broke off is what matters.
      try? await zone.remove()
      throw error
    }
  }

  private func create() async throws {
    let results = try await ZoneModification(databaseID: databaseID, saves: [id])
      .send(over: transport, options: options)
    if case .error(let error)? = results.first?.outcome {
      throw LocalFailure("the zone '\(id.zoneName)' cannot be created: \(error.text)")
    }
  }

  private func remove() async throws {
    // A task of its own: the one that was cancelled makes no calls any more.
    try await Task {
      _ = try await SubscriptionModification(databaseID: databaseID, deletes: [id.zoneName])
        .send(over: transport, options: options)
      _ = try await ZoneModification(databaseID: databaseID, deletes: [id])
        .send(over: transport, options: options)
    }.value
  }

  /// Runs a body that hears of new records of a type in the zone, and marks read afterwards what came,
  /// also when the task is cancelled meanwhile.
  ///
  /// - Parameters:
  ///   - type: The type of the records.
  ///   - invocation: Says whose log it is.
  ///   - session: Carries the calls.
  ///   - body: Gets where to listen from; the subscription has the zone's name.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws; when it cannot be subscribed, or marked.
  func withSubscription<Value: Sendable>(
    to type: String,
    _ invocation: Invocation,
    _ session: Session,
    _ body: (WatchStart) async throws -> Value
  ) async throws -> Value {
    try await subscribe(to: type)
    let token = try await invocation.newestNotificationToken(session)
    do {
      let value = try await body(WatchStart(token: token))
      try await markRead(after: token, invocation, session)
      return value
    } catch {
      // Why it broke off is what matters.
      try? await markRead(after: token, invocation, session)
      throw error
    }
  }

  private func markRead(
    after token: [UInt8],
    _ invocation: Invocation,
    _ session: Session
  ) async throws {
    // A task of its own: the one that was cancelled makes no calls any more.
    try await Task {
      var results = Results(columns: [])
      try await invocation.eachNotificationPage(after: token, over: session) { page in
        let own = page.filter { $0.subscriptionID == id.zoneName }
        try await invocation.markRead(own.map(\.notificationID), &results, over: session)
      }
    }.value
  }

  /// Subscribes the user to new records of a type in the zone; the subscription has the zone's name.
  private func subscribe(to type: String) async throws {
    let subscription = TidingsV1.Subscription(
      subscriptionID: id.zoneName,
      type: .query,
      recordType: type,
      zoneID: id,
      firesOnRecordCreation: true
    )
    let results = try await SubscriptionModification(databaseID: databaseID, saves: [subscription])
      .send(over: transport, options: options)
    if case .error(let error)? = results.first?.outcome {
      throw LocalFailure("the subscription cannot be saved: \(error.text)")
    }
  }

  /// Saves records over whatever is there, as a device of its own: one that listens hears nothing of
  /// its own changes.
  ///
  /// - Returns: When the server saved the first of them, by its clock.
  @discardableResult
  func save(_ records: [TidingsV1.Record]) async throws -> GoogleProtobuf.Timestamp? {
    var options = options
    options.metadata[Metadata.deviceKey] = id.zoneName
    let response = try await TidingsV1.RecordService.Client(transport).modifyRecords(
      .init(databaseID: databaseID, recordsToSave: records, savePolicy: .allKeys),
      options: options
    )
    for case .error(let error)? in response.results.map(\.outcome) {
      throw BenchFailure(code: Contract.shortName(error.code, "ERROR_CODE_"))
    }
    guard case .record(let record)? = response.results.first?.outcome else { return nil }
    return record.modified?.timestamp
  }

  /// A record in the zone.
  func record(_ name: String, _ type: String, number: Int, text: String) -> TidingsV1.Record {
    .init(
      recordID: .init(recordName: name, zoneID: id),
      recordType: type,
      fields: [
        "number": .init(value: .int64Value(Int64(number))),
        "text": .init(value: .stringValue(text)),
      ]
    )
  }
}
