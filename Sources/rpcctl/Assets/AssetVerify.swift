internal import CommandLineTools
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  private static let checksAtOnce = 8

  private static let zone = OptionKey<[String]>(
    list: "zone",
    letter: "z",
    value: "ZONE…",
    takesMany: true,
    completion: .live("zones"),
    "Only these zones (default: all zones of the database)."
  )
  private static let content = OptionKey<Bool>(
    flag: "content",
    "Download all bytes and compare the checksum."
  )

  static let assetVerify = Verb(
    command: Command(
      "assets verify",
      "Check that the assets of records exist, and list missing ones.",
      options: [Option](of: zone, content),
      discussion: """
        Downloads the last byte of each asset, or with --content all of them. An asset of several records
        is checked once. To fix a missing asset, upload the file again: `rpcctl assets put`. Exits with 3
        if an asset is missing or damaged. The server removes unreferenced assets by itself.

        Examples:
          rpcctl assets verify
          rpcctl assets verify --zone sales --content -o table
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let session = try await invocation.connect()
      var check = AssetCheck(invocation, session)
      check.readsContent = invocation.arguments[content]
      let zones = try await zones(invocation, session)
      var results = Results(columns: ["RECORD", "FIELD", "CHECKSUM", "PROBLEM"])
      var (seen, problems) = (Set<[UInt8]>(), 0)
      for zone in zones {
        try await forEachPage(of: zone, invocation, session) { records in
          let locations = records.flatMap(AssetLocation.all).filter {
            seen.insert($0.asset.checksum).inserted
          }
          for (location, problem) in try await look(locations, check) {
            problems += 1
            results.append(location.json(problem), location.row(problem))
          }
        }
        if invocation.output.showsProgress {
          invocation.output.show(progress: counted(seen.count, "asset"))
        }
      }
      invocation.output.endProgress()
      _ = results.finish(invocation.output)
      invocation.output.log("\(counted(seen.count, "asset")), \(problems) missing or damaged")
      return problems == 0 ? .success : .conditionNotMet
    }
  )

  /// The assets with problems.
  private static func look(
    _ locations: [AssetLocation],
    _ check: AssetCheck
  ) async throws -> [(AssetLocation, String)] {
    try await withThrowingTaskGroup(of: (AssetLocation, String)?.self) { group in
      var found: [(AssetLocation, String)] = []
      for (index, location) in locations.enumerated() {
        if index >= checksAtOnce, let problem = try await group.next() ?? nil {
          found.append(problem)
        }
        group.addTask { try await check.problem(of: location.asset).map { (location, $0) } }
      }
      for try await case let problem? in group { found.append(problem) }
      return found.sorted { ($0.0.record, $0.0.field) < ($1.0.record, $1.0.field) }
    }
  }

  /// Returns the given zones, or all.
  private static func zones(
    _ invocation: Invocation,
    _ session: Session
  ) async throws -> [TidingsV1.ZoneID] {
    let names = invocation.arguments[zone]
    guard names.isEmpty else { return try names.map { try invocation.zoneID($0) } }
    return try await invocation.zoneResults(over: session).compactMap(\.zoneID)
  }

  private static func forEachPage(
    of zone: TidingsV1.ZoneID,
    _ invocation: Invocation,
    _ session: Session,
    _ body: ([TidingsV1.Record]) async throws -> Void
  ) async throws {
    let records = TidingsV1.RecordService.Client(session.transport)
    var token: [UInt8] = []
    while true {
      let response = try await records.fetchRecordZoneChanges(
        .init(
          databaseID: invocation.settings.databaseID,
          zones: [.init(zoneID: zone, changeToken: token)]
        ),
        options: invocation.callOptions
      )
      guard let page = response.zones.first else { return }
      if let error = page.error { throw LocalFailure("zone '\(zone.shownName)': \(error.text)") }
      try await body(page.changedRecords)
      token = page.changeToken
      if !page.moreComing { return }
    }
  }
}

/// An asset and the location of its reference.
private struct AssetLocation: Sendable {
  let record: String
  let field: String
  let asset: TidingsV1.Asset

  /// Returns the assets of a record.
  static func all(of record: TidingsV1.Record) -> [AssetLocation] {
    record.fields.sorted { $0.key < $1.key }.flatMap { name, value in
      value.assets.map {
        AssetLocation(record: record.recordID?.recordName ?? "", field: name, asset: $0)
      }
    }
  }

  func json(_ problem: String) -> JSONValue {
    .object([
      "recordName": .string(record), "field": .string(field),
      "checksum": .string(asset.checksum.hexadecimal), "size": .string("\(asset.size)"),
      "problem": .string(problem),
    ])
  }

  func row(_ problem: String) -> [String] {
    [record, field, asset.checksum.hexadecimal, problem]
  }
}
