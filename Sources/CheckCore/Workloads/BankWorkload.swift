internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Transfers between accounts: two records are read, and saved in one atomic batch with their change tags.
final class BankWorkload: Workload {
  private static let accountCount = 6
  private static let firstAmount: Int64 = 100
  private static let type = "CheckAccount"

  private let stage: Stage
  private let zone: String

  init(_ stage: Stage) {
    self.stage = stage
    zone = stage.runName
  }

  var zones: [String] { [zone] }

  func prepare(_ process: inout LogicalProcess) async throws {
    var call = Call(.open)
    call.sent = (0..<Self.accountCount).map { Version("a\($0)", Self.firstAmount) }
    try await process.make(call) { [self] _, call in
      let records = call.sent.map(record)
      let results = try await stage.insist {
        try await $0.records.modifyRecords(
          .init(databaseID: stage.database, recordsToSave: records, savePolicy: .allKeys)
        ).results
      }
      if let failure = results.first?.failure {
        throw CheckError("no accounts: \(failure.message)")
      }
    }
  }

  func run(_ process: inout LogicalProcess) async throws {
    while stage.isOpen {
      switch process.random.below(100) {
      case 0..<70: try await transfer(&process)
      case 70..<85: try await audit("fetch", &process)
      default: try await audit("feed", &process)
      }
    }
  }

  func finish(_ process: inout LogicalProcess) async throws {
    for manner in Call.audits {
      var call = Call(.audit)
      call.manner = manner
      try await process.make(call) { [self] _, call in
        call.got = try await stage.insist { client in
          guard let accounts = try await snapshot(manner, client) else { throw Self.isNoSnapshot }
          return accounts
        }
      }
    }
  }

  /// A client whose pages were lost with their connections asks for smaller ones, which grow again.
  private static let isNoSnapshot = RPCError(
    .unavailable,
    "the answer has several pages, which are no snapshot"
  )

  private func record(_ version: Version) -> TidingsV1.Record {
    TidingsV1.Record(Self.type, stage.recordID(version.name, in: zone), version)
  }

  // MARK: Transfers

  private func transfer(_ process: inout LogicalProcess) async throws {
    let numbers = (0..<Self.accountCount).shuffled(using: &process.random).prefix(2)
    let names = numbers.map { "a\($0)" }
    let look = try await process.make(Call(.read)) { [self] client, call in
      call.got = try await fetch(names, client)
    }
    guard look.outcome == .ok, look.got.count == 2, let amount = look.got[0].value, amount > 0
    else {
      return
    }
    let sum = Int64(1 + process.random.below(Int(amount)))
    var call = Call(.transfer)
    call.sent = zip(look.got, [-sum, sum]).map { version, change in
      Version(version.name, (version.value ?? 0) + change, tag: version.tag)
    }
    try await process.make(call) { [self] client, call in
      let isHalf = stage.faults.isPlanned(.halfBatch)
      let versions = isHalf ? Array(call.sent.prefix(1)) : call.sent
      let results = try await client.records.modifyRecords(
        .init(
          databaseID: stage.database,
          recordsToSave: versions.map(record),
          savePolicy: .ifServerRecordUnchanged
        )
      ).results
      call.got = zip(call.sent, results).compactMap { sent, result in
        result.savedTag.map { Version(sent.name, sent.value, tag: $0) }
      }
      if isHalf, !call.got.isEmpty { stage.faults.commit() }
      if call.got.isEmpty, let failure = results.compactMap(\.failure).first { call.fail(failure) }
    }
  }

  private func fetch(_ names: [String], _ client: Client) async throws -> [Version] {
    let results = try await client.records.fetchRecords(
      .init(databaseID: stage.database, recordIDs: names.map { stage.recordID($0, in: zone) })
    ).results
    return results.compactMap { result in
      if case .record(let record)? = result.outcome { record.version } else { nil }
    }
  }

  // MARK: Snapshots

  private func audit(_ manner: String, _ process: inout LogicalProcess) async throws {
    var call = Call(.audit)
    call.manner = manner
    try await process.make(call) { [self] client, call in
      if let accounts = try await snapshot(manner, client) {
        call.got = accounts
      } else {
        call.fail(Self.isNoSnapshot.message)
      }
    }
  }

  /// All accounts in one answer, which is a snapshot; `nil`: there are more pages.
  private func snapshot(_ manner: String, _ client: Client) async throws -> [Version]? {
    if manner == "feed" {
      let page = try await ZoneRead(stage, zone).page(client, after: [])
      return page.isLast ? page.versions : nil
    }
    if manner == "fetch" {
      return try await fetch((0..<Self.accountCount).map { "a\($0)" }, client)
    }
    let page = try await client.records.queryRecords(
      .init(databaseID: stage.database, recordType: Self.type, zoneID: stage.zoneID(zone))
    )
    return page.cursor.isEmpty ? page.records.map(\.version) : nil
  }
}
