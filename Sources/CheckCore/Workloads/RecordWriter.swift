internal import TidingsClient
internal import TidingsProto

/// Creates, updates and deletes records that only one process changes, so that each version has a known
/// predecessor.
///
/// A record that a call of unknown outcome was about is not changed again.
struct RecordWriter: Sendable {
  private static let recordsMax = 4

  private let stage: Stage
  private let zone: String
  private let type: String
  /// As stored, oldest first.
  private var records: [Version] = []
  /// An overwritten version, whose change tag must be refused.
  private var overwritten: Version?

  init(_ stage: Stage, zone: String, type: String) {
    self.stage = stage
    self.zone = zone
    self.type = type
  }

  /// Makes one call.
  mutating func change(_ process: inout LogicalProcess) async throws {
    let choice = process.random.below(100)
    if records.isEmpty || (choice < 35 && records.count < Self.recordsMax) {
      let count = 1 + process.random.below(2)
      try await save((0..<count).map { _ in newVersion(&process.random) }, &process)
    } else if choice < 80 {
      records.shuffle(using: &process.random)
      let count = min(records.count, 1 + process.random.below(2))
      let versions = records.prefix(count).map { Version($0.name, $0.value, tag: $0.tag) }
      try await save(versions.map { rewritten($0, &process.random) }, &process)
    } else if choice < 90, let overwritten {
      try await save([rewritten(overwritten, &process.random)], &process)
    } else {
      try await delete(process.random.pick(records), &process)
    }
  }

  /// Saves one new record.
  ///
  /// - Parameters:
  ///   - name: Which one; it must be new.
  ///   - number: Its `n`.
  ///   - process: Who.
  /// - Returns: The call.
  /// - Throws: `CancellationError`.
  @discardableResult
  mutating func create(
    _ name: String,
    number: Int64,
    _ process: inout LogicalProcess
  ) async throws -> Call {
    try await save([Version(name, stage.recorder.newValue() * 100 + number)], &process)
  }

  private func newVersion(_ random: inout SeededRandom) -> Version {
    let value = stage.recorder.newValue()
    return Version("r\(value)", value * 100 + Int64(random.below(100)))
  }

  private func rewritten(_ version: Version, _ random: inout SeededRandom) -> Version {
    let value = stage.recorder.newValue() * 100 + Int64(random.below(100))
    return Version(version.name, value, tag: version.tag)
  }

  @discardableResult
  private mutating func save(
    _ versions: [Version],
    _ process: inout LogicalProcess
  ) async throws -> Call {
    var call = Call(.save, zone)
    call.sent = versions
    let before = records.filter { record in versions.contains { $0.name == record.name } }
    call = try await process.make(call) { [stage, zone, type] client, call in
      let results = try await client.records.modifyRecords(
        .init(
          databaseID: stage.database,
          recordsToSave: call.sent.map {
            TidingsV1.Record(type, stage.recordID($0.name, in: zone), $0)
          },
          savePolicy: .ifServerRecordUnchanged
        )
      ).results
      call.got = zip(call.sent, results).compactMap { sent, result in
        result.savedTag.map { Version(sent.name, sent.value, tag: $0) }
      }
      if let failure = results.compactMap(\.failure).first { call.fail(failure) }
    }
    guard call.outcome != .failed else { return call }
    records.removeAll { record in versions.contains { $0.name == record.name } }
    if let name = overwritten?.name, versions.contains(where: { $0.name == name }) {
      overwritten = nil
    }
    if call.outcome == .ok {
      records += call.got
      overwritten = before.first ?? overwritten
    }
    return call
  }

  private mutating func delete(_ version: Version, _ process: inout LogicalProcess) async throws {
    var call = Call(.delete, zone)
    call.sent = [Version(version.name)]
    call = try await process.make(call) { [stage, zone] client, call in
      let results = try await client.records.modifyRecords(
        .init(
          databaseID: stage.database,
          recordIDsToDelete: [stage.recordID(version.name, in: zone)]
        )
      ).results
      if let failure = results.first?.failure { call.fail(failure) }
    }
    guard call.outcome != .failed else { return }
    records.removeAll { $0.name == version.name }
    if overwritten?.name == version.name { overwritten = nil }
  }
}
