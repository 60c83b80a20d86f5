internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// What a workload runs with: connections, its part of the history, and where its records are.
struct Stage: Sendable {
  let settings: CheckSettings
  let workload: WorkloadName
  let recorder: Recorder
  let faults: FaultPlan
  /// Connections of any process; each begins at another endpoint.
  let connections: [Client]
  /// Distinguishes runs: a part of the names of zones, records and subscriptions.
  let runName: String
  /// When processes make no more calls.
  let deadline: ContinuousClock.Instant

  /// Whether processes go on.
  var isOpen: Bool {
    let callCount = recorder.count
    return ContinuousClock.now < deadline && callCount < settings.callsMax
      && !settings.isInterrupted(workload, callCount) && !Task.isCancelled
  }

  /// More pages than a feed or the log can have: each has an item, and a call makes a few.
  var pagesMax: Int { 1000 + 4 * recorder.count }

  /// The private database.
  var database: TidingsV1.DatabaseID {
    .init(
      container: settings.client.container,
      environment: settings.client.environment,
      scope: .private
    )
  }

  func zoneID(_ zone: String) -> TidingsV1.ZoneID { .init(zoneName: zone) }

  func recordID(_ name: String, in zone: String) -> TidingsV1.RecordID {
    .init(recordName: name, zoneID: zoneID(zone))
  }

  /// A connection of its own, for a device.
  func connect(device: String, _ random: inout SeededRandom) async throws -> Client {
    try await Self.connect(settings, device: device, &random)
  }

  /// A connection, which begins at a random endpoint.
  static func connect(
    _ settings: CheckSettings,
    device: String = "",
    _ random: inout SeededRandom
  ) async throws -> Client {
    var configuration = settings.client
    configuration.endpoints.shuffle(using: &random)
    configuration.device = device
    configuration.reconcileInterval = .seconds(5)
    return try await Client(configuration)
  }

  /// Makes a call until it succeeds, for preparations and final reads.
  ///
  /// - Throws: The last error, when patience has ended or repeating does not help.
  func insist<Answer>(_ body: (Client) async throws -> Answer) async throws -> Answer {
    let end = ContinuousClock.now + settings.patience
    var attempt = 0
    while true {
      do {
        return try await body(connections[attempt % connections.count])
      } catch let error as RPCError {
        guard error.mayPass, ContinuousClock.now < end else { throw error }
        attempt += 1
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  /// Creates a zone of the run.
  func createZone(_ zone: String) async throws {
    let results = try await insist { client in
      try await client.zones.modifyRecordZones(
        .init(databaseID: database, zonesToSave: [.init(zoneID: zoneID(zone))])
      ).results
    }
    if case .error(let error)? = results.first?.outcome {
      throw CheckError("zone '\(zone)' was not created: \(error.message)")
    }
  }

  /// Removes zones of the run.
  func deleteZones(_ zones: [String]) async {
    _ = try? await insist { client in
      try await client.zones.modifyRecordZones(
        .init(databaseID: database, zoneIDsToDelete: zones.map(zoneID))
      )
    }
  }
}

/// Why a run cannot be made.
package struct CheckError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
