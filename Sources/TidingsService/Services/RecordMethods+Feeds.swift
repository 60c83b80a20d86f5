internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsWire
internal import TidingsZeroMQ

private typealias Field = TidingsV1.ZoneChanges.FieldNumber

extension RecordMethods {
  /// Registers the methods of RecordService that return changes.
  func registerFeeds(on loop: LoopContext) {
    typealias Methods = TidingsV1.RecordService.Methods
    feeds.register(Methods.fetchRecordZoneChanges, on: loop) { reader, caller, body in
      try ZoneChangesCall(reader, caller, body).answer()
    }
    feeds.register(Methods.fetchDatabaseChanges, on: loop) { reader, caller, body in
      try databaseChanges(reader, caller, body)
    }
    loop.whenStopping { [feeds, unowned loop] in feeds.stop(on: loop) }
  }
}

/// Answers FetchRecordZoneChanges.
private struct ZoneChangesCall {
  private let reader: StoreReader
  private let caller: Caller
  private let request: TidingsV1.FetchRecordZoneChangesRequest
  private let database: DatabaseID
  private let wait: Duration

  init(_ reader: StoreReader, _ caller: Caller, _ body: UnsafeRawBufferPointer) throws {
    self.reader = reader
    self.caller = caller
    request = try .init(decoding: body.bytes, in: reader.arena)
    database = try request.databaseID.model(for: caller)
    wait = try request.maxWait.wait
    try reader.engine.limits.check(itemCount: request.zones.count)
    guard !request.zones.isEmpty else {
      throw ItemError(.invalidArguments, "the call names no zone: name at least one")
    }
    // What is wrong with the database fails the call, not each zone.
    _ = try reader.engine.watch([], in: database)
    var zones: Set<ZoneID> = []
    for zone in request.zones.lazy.map(\.zoneID.model) where !zones.insert(zone).inserted {
      throw ItemError(
        .invalidArguments,
        "zone \(Identifier.shown(zone.zoneName)) stands in the call twice: ask for each zone once"
      )
    }
  }

  func answer() throws -> FeedAnswer {
    var budget = FeedBudget(limit: Int(request.limit), reader.engine.limits)
    var response = WireWriter()
    var zones: [ZoneID] = []
    var hasChanges = false
    for options in request.zones {
      var part = WireWriter()
      part.add(Field.zoneID, (options.zoneID ?? .init(.default)).encoded(in: reader.arena))
      do {
        let zone = try options.zoneID.named(in: database, for: caller)
        zones.append(zone)
        let page = try add(options, of: zone, to: &part, &budget)
        let waits = page.changeCount == 0 && !page.moreComing && options.order == .oldestFirst
        hasChanges = hasChanges || !waits
      } catch let error as ItemError {
        hasChanges = true
        part.add(Field.error, TidingsV1.ItemError(error).encoded(in: reader.arena))
      }
      response.add(TidingsV1.FetchRecordZoneChangesResponse.FieldNumber.zones, part.bytes)
    }
    return FeedAnswer(
      body: response.bytes,
      watch: hasChanges ? nil : try reader.engine.watch(zones, in: database),
      wait: wait
    )
  }

  /// Adds the page of one zone.
  private func add(
    _ options: TidingsV1.ZoneChangesOptions,
    of zone: ZoneID,
    to part: inout WireWriter,
    _ budget: inout FeedBudget
  ) throws -> ZonePage {
    let page = try reader.engine.zoneChanges(
      ZoneFeedRequest(
        zone: zone,
        changeToken: options.changeToken,
        desiredKeys: try options.desiredKeys.map {
          try RecordMethods.fields($0, reader.engine.limits)
        },
        recordTypes: Set(options.recordTypes),
        limit: Int(options.limit),
        order: options.order
      ),
      in: database,
      caller: caller,
      budget: &budget
    ) { change in
      switch change {
      case .saved(let body) where caller.user.isEmpty:
        part.add(Field.changedRecords, try GuestView.record(body, in: reader.arena))
      case .saved(let body): part.add(Field.changedRecords, body)
      case .deleted(let name, let type):
        let record = TidingsV1.DeletedRecord(
          recordID: .init(RecordID(recordName: name, zoneID: zone)),
          recordType: type
        )
        part.add(Field.deletedRecords, record.encoded(in: reader.arena))
      }
    }
    part.add(Field.changeToken, page.changeToken)
    if page.moreComing { part.add(Field.moreComing, varint: 1) }
    if !page.clientChangeTokenData.isEmpty {
      part.add(Field.clientChangeTokenData, page.clientChangeTokenData)
    }
    return page
  }
}

/// Answers FetchDatabaseChanges.
private func databaseChanges(
  _ reader: StoreReader,
  _ caller: Caller,
  _ body: UnsafeRawBufferPointer
) throws -> FeedAnswer {
  let request = try TidingsV1.FetchDatabaseChangesRequest(decoding: body.bytes, in: reader.arena)
  let database = try request.databaseID.model(for: caller)
  let wait = try request.maxWait.wait
  let page = try reader.engine.databaseChanges(
    in: database,
    after: request.changeToken,
    limit: Int(request.limit)
  )
  let response = TidingsV1.FetchDatabaseChangesResponse(
    changedZoneIDs: page.changedZones.map { .init($0) },
    deletedZones: page.deletedZones.map {
      .init(zoneID: .init($0.zone), reason: .init(rawValue: $0.reason.rawValue))
    },
    changeToken: page.changeToken,
    moreComing: page.moreComing
  )
  let hasChanges = page.moreComing || !page.changedZones.isEmpty || !page.deletedZones.isEmpty
  return FeedAnswer(
    body: response.encoded(in: reader.arena),
    watch: hasChanges ? nil : try reader.engine.watch([], in: database),
    wait: wait
  )
}

extension TidingsV1.ZoneChangesOptions {
  fileprivate var order: ZoneFeedRequest.Order {
    if onlyChangeToken { .none } else { newestFirst ? .newestFirst : .oldestFirst }
  }
}

extension GoogleProtobuf.Duration? {
  /// How long a caller would wait for a change.
  fileprivate var wait: Duration {
    get throws(ItemError) {
      guard let self else { return .zero }
      guard self.seconds >= 0, self.nanos >= 0, self.nanos < 1_000_000_000 else {
        throw ItemError(.invalidArguments, "max_wait is negative or no duration: send 0 s to 60 s")
      }
      // What is longer is shortened to the longest wait anyway.
      return .seconds(min(self.seconds, 1 << 30)) + .nanoseconds(self.nanos)
    }
  }
}
