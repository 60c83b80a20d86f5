internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// A temporary zone, which is deleted with its records and subscriptions.
struct TemporaryZone: Sendable {
  let id: TidingsV1.ZoneID
  let databaseID: TidingsV1.DatabaseID
  let transport: any ClientTransport
  let options: CallOptions

  /// Creates a zone, runs a body with it, and deletes the zone in any case, even if the task is
  /// cancelled.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of the zone's name.
  ///   - invocation: Selects the database.
  ///   - session: The connection.
  ///   - body: Uses the zone.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body, or of creating or deleting the zone.
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
      // The body's error is more important.
      try? await zone.remove()
      throw error
    }
  }

  private func create() async throws {
    let results = try await ZoneModification(databaseID: databaseID, saves: [id])
      .send(over: transport, options: options)
    if case .error(let error)? = results.first?.outcome {
      throw LocalFailure("cannot create zone '\(id.zoneName)': \(error.text)")
    }
  }

  private func remove() async throws {
    // A task of its own, since a cancelled task cannot make calls.
    try await Task {
      _ = try await SubscriptionModification(databaseID: databaseID, deletes: [id.zoneName])
        .send(over: transport, options: options)
      _ = try await ZoneModification(databaseID: databaseID, deletes: [id])
        .send(over: transport, options: options)
    }.value
  }

  /// Subscribes to new records of a type in the zone, runs a body, and marks the notifications read in
  /// any case, even if the task is cancelled.
  ///
  /// - Parameters:
  ///   - type: The type of the records.
  ///   - invocation: Selects the user.
  ///   - session: The connection.
  ///   - body: Gets the start position; the subscription has the zone's name.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body, or of subscribing or marking.
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
      // The body's error is more important.
      try? await markRead(after: token, invocation, session)
      throw error
    }
  }

  private func markRead(
    after token: [UInt8],
    _ invocation: Invocation,
    _ session: Session
  ) async throws {
    // A task of its own, since a cancelled task cannot make calls.
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
      throw LocalFailure("cannot save the subscription: \(error.text)")
    }
  }

  /// Saves records, overwriting existing ones, as a device of its own: a device is not notified of its
  /// own changes.
  ///
  /// - Returns: The server's time of the first save.
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
