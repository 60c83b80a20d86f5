internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// Writes the records of zones, page by page of their change feeds.
///
/// While a page is written, the next is being fetched. A page ends with a marker that has the zone's
/// change token, so that the file itself contains the state of the export.
struct Exporter {
  private let transport: any ClientTransport
  private let options: CallOptions
  private let databaseID: TidingsV1.DatabaseID
  private let recordTypes: [String]
  private let output: Output
  private var sink: ExportSink
  private var state: ExportState
  private var failedZoneCount = 0
  private let start = ContinuousClock.now
  private let line: Progress

  init(
    transport: any ClientTransport,
    options: CallOptions,
    databaseID: TidingsV1.DatabaseID,
    recordTypes: [String],
    sink: ExportSink,
    state: ExportState,
    output: Output
  ) {
    self.transport = transport
    self.options = options
    self.databaseID = databaseID
    self.recordTypes = recordTypes
    self.sink = sink
    self.state = state
    self.output = output
    line = Progress(output)
  }

  /// Exports zones.
  ///
  /// - Returns: Whether all zones were exported.
  mutating func run(zones: [String], header: JSONObject) async throws -> Bool {
    do {
      if state.header == nil { try sink.append(TransferMarker.header(header).line) }
      for zone in zones where state.zones[zone]?.isDone != true { try await export(zone) }
      // A failed zone leaves the file incomplete, so that it can be resumed.
      if failedZoneCount == 0 {
        try sink.append(TransferMarker.end(recordCount: state.recordCount).line)
      }
      try sink.flush()
    } catch {
      line.end()
      // Pages up to the last marker are kept.
      guard Task.isCancelled else {
        try? sink.flush()
        throw error
      }
      try sink.flush()
      throw interrupted
    }
    line.end()
    let seconds = ((ContinuousClock.now - start) / .milliseconds(1)).rounded() / 1000
    let records = counted(state.recordCount, "record")
    output.log("\(records) of \(counted(zones.count, "zone")) in \(seconds) s")
    return failedZoneCount == 0
  }

  private var interrupted: Interrupted {
    let records = counted(state.recordCount, "record")
    let advice = sink.isFile ? "; continue with --resume" : ""
    return Interrupted("interrupted: \(records) exported\(advice)")
  }

  private mutating func export(_ zone: String) async throws {
    if state.zones[zone] == nil { try sink.append(TransferMarker.zone(zone).line) }
    let fetch = PageFetch(
      records: .init(transport),
      options: options,
      databaseID: databaseID,
      zoneName: zone,
      recordTypes: recordTypes
    )
    var page = try await fetch(after: state.zones[zone]?.token ?? [])
    while true {
      if let error = page.error { return try fail(zone, error) }
      guard page.moreComing else { return try write(page, zone) }
      try Task.checkCancellation()
      let token = page.changeToken
      async let next = fetch(after: token)
      try write(page, zone)
      page = try await next
    }
  }

  private mutating func write(_ page: TidingsV1.ZoneChanges, _ zone: String) throws {
    for record in page.changedRecords {
      // Encrypted values stay encrypted: anyone may read the file.
      let json = EncryptedFields.$sealer.withValue(nil) { RecordJSON.json(record) }
      try sink.append(json.text() + [UInt8(ascii: "\n")])
    }
    for deleted in page.deletedRecords {
      guard var id = deleted.recordID else { continue }
      id.zoneID = .init(zoneName: zone)
      try sink.append(TransferMarker.deleted(id).line)
    }
    let marker = TransferMarker.page(
      zoneName: zone,
      token: page.changeToken,
      moreComing: page.moreComing
    )
    try sink.append(marker.line)
    state.recordCount += page.changedRecords.count
    showProgress(zone)
  }

  private mutating func fail(_ zone: String, _ error: TidingsV1.ItemError) throws {
    guard error.code != .changeTokenExpired else {
      throw LocalFailure(
        "cannot resume the export of zone '\(zone)' (\(error.text)): "
          + "restart without --resume"
      )
    }
    failedZoneCount += 1
    output.warn("cannot export zone '\(zone)': \(error.text)")
  }

  private func showProgress(_ zone: String) {
    line.update {
      let rate = Int(Double(state.recordCount) / max((.now - start) / .seconds(1), 0.001))
      return "\(state.recordCount) records, \(rate)/s, zone \(zone)"
    }
  }
}

/// Fetches the pages of one zone.
private struct PageFetch: Sendable {
  let records: TidingsV1.RecordService.Client
  let options: CallOptions
  let databaseID: TidingsV1.DatabaseID
  let zoneName: String
  let recordTypes: [String]

  func callAsFunction(after token: [UInt8]) async throws(RPCError) -> TidingsV1.ZoneChanges {
    let response = try await records.fetchRecordZoneChanges(
      .init(
        databaseID: databaseID,
        zones: [
          .init(
            zoneID: .init(zoneName: zoneName),
            changeToken: token,
            recordTypes: recordTypes
          )
        ]
      ),
      options: options
    )
    guard let zone = response.zones.first else {
      throw RPCError(.internal, "the response has no zone")
    }
    return zone
  }
}
