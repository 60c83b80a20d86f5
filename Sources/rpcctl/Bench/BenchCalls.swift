internal import Synchronization
internal import TidingsProto
internal import TidingsRPC

/// The calls of each mode, in a temporary zone.
struct BenchCalls: Sendable {
  private static let seedsPerCall = 100
  private static let pushTimeMax = Duration.seconds(10)

  let plan: BenchPlan
  let zone: TemporaryZone
  private let text: String

  init(_ plan: BenchPlan, _ zone: TemporaryZone) {
    self.plan = plan
    self.zone = zone
    text = String(repeating: "x", count: plan.size)
  }

  /// Saves the initial records for modes that read.
  func seed() async throws {
    for first in stride(from: 0, to: plan.records, by: Self.seedsPerCall) {
      try Task.checkCancellation()
      let numbers = first..<min(first + Self.seedsPerCall, plan.records)
      try await zone.save(numbers.map { record("r\($0)", number: $0) })
    }
  }

  /// Returns the call of a mode; those of pushes need a waiter.
  func call(_ waiter: PushWaiter? = nil) -> BenchLoop.Call {
    switch plan.mode {
    case .rpc: { _ in try await check() }
    case .write: { try await write("w\($0)", number: $0) }
    case .read: { try await read($0) }
    case .query: { try await query($0) }
    case .catchup: { _ in try await catchUp() }
    case .soak: { try await mixed($0) }
    case .pushLatency, .fanout: { try await push($0, waiter) }
    }
  }

  private var records: TidingsV1.RecordService.Client { .init(zone.transport) }

  private func record(_ name: String, number: Int) -> TidingsV1.Record {
    zone.record(name, plan.type, number: number, text: text)
  }

  private func check() async throws -> Int {
    _ = try await TidingsRpcV1.HealthService.Client(zone.transport).check(
      .init(),
      options: zone.options
    )
    return 0
  }

  private func write(_ name: String, number: Int) async throws -> Int {
    try await zone.save([record(name, number: number)])
    return 1
  }

  /// Returns record numbers in a different order: with a large prime as step, each is visited once per round.
  private func seeded(_ number: Int) -> Int { number &* 1_000_003 % plan.records }

  private func read(_ number: Int) async throws -> Int {
    let response = try await records.fetchRecords(
      .init(
        databaseID: zone.databaseID,
        recordIDs: [.init(recordName: "r\(seeded(number))", zoneID: zone.id)]
      ),
      options: zone.options
    )
    if case .error(let error)? = response.results.first?.outcome {
      throw BenchFailure(code: Contract.shortName(error.code, "ERROR_CODE_"))
    }
    return response.results.count
  }

  private func query(_ number: Int) async throws -> Int {
    let response = try await records.queryRecords(
      .init(
        databaseID: zone.databaseID,
        recordType: plan.type,
        predicate: .init(
          text: "number == %@",
          arguments: [.init(value: .int64Value(Int64(seeded(number))))]
        ),
        zoneID: zone.id,
        limit: 1
      ),
      options: zone.options
    )
    return response.records.count
  }

  /// Half reads, three tenths writes to existing records, two tenths queries.
  private func mixed(_ number: Int) async throws -> Int {
    switch number % 10 {
    case ..<5: try await read(number)
    case ..<8: try await write("r\(seeded(number))", number: seeded(number))
    default: try await query(number)
    }
  }

  /// Reads all of the zone's changes.
  private func catchUp() async throws -> Int {
    var token: [UInt8] = []
    var count = 0
    while true {
      let response = try await records.fetchRecordZoneChanges(
        .init(
          databaseID: zone.databaseID,
          zones: [.init(zoneID: zone.id, changeToken: token)]
        ),
        options: zone.options
      )
      guard let changes = response.zones.first else { return count }
      if let error = changes.error {
        throw BenchFailure(code: Contract.shortName(error.code, "ERROR_CODE_"))
      }
      count += changes.changedRecords.count
      token = changes.changeToken
      if !changes.moreComing { return count }
    }
  }

  /// Saves a record and waits until all subscribers are notified.
  private func push(_ number: Int, _ waiter: PushWaiter?) async throws -> Int {
    guard let waiter else { return 0 }
    let name = "p\(number)"
    waiter.expect(name)
    try await zone.save([record(name, number: number)])
    guard await waiter.arrival(of: name, timeout: Self.pushTimeMax) else {
      throw BenchFailure.notNotified
    }
    return plan.subscribers
  }
}
