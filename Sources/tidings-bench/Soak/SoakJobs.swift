import BenchCore
import Glibc
import TidingsClient
import TidingsProto
import TidingsRPC

/// What the server has to do beside the calls, one thing after the other.
struct SoakJobs: Sendable {
  /// Records of the zone whose space is given back, 1 KiB each.
  private static let spaceRecords = 24_000
  private static let spaceRecordBytes = 1_000
  private static let spaceRecordsPerCall = 50
  /// How long the space may take to be given back.
  private static let patienceSeconds = 120
  private static let indexedFields: Set = ["number", "price"]
  /// Notifications that a retention keeps.
  private static let keptNotifications: UInt64 = 1_000

  private let client: Client
  private let database: String
  private let settings: SoakSettings
  private let recorder: SoakRecorder
  private let releases: SoakReleases

  init(
    _ server: ServerProcess,
    _ client: Client,
    _ settings: SoakSettings,
    _ recorder: SoakRecorder,
    _ releases: SoakReleases
  ) {
    self.client = client
    database = server.databasePath
    self.settings = settings
    self.recorder = recorder
    self.releases = releases
  }

  /// Does all of it once, as fast as it can, so that the caches are as full as they become.
  func rehearse() async throws {
    try await fill(pauseMilliseconds: 0)
    try await retention()
    try await buildIndexes()
    try await backUp()
    try await deleteZone()
  }

  /// Does one thing after the other, with pauses, until the run ends.
  func run() async {
    while !recorder.isStopped {
      await job(.retention, retention)
      await job(.index, buildIndexes)
      await job(.backup, backUp)
      await job(.space, releaseSpace)
    }
  }

  /// Repeats it for as long as calls are compared.
  private func job(_ activity: SoakActivity, _ body: () async throws -> Void) async {
    await pause(settings.pause)
    guard !recorder.isStopped else { return }
    // A second belongs to the round of its end.
    if activity == SoakActivity.compared.first { recorder.beginRound() }
    do {
      if activity == .space {
        recorder.begin(.filling)
        defer { recorder.end(.filling) }
        // Slowly: what calls of another caller cost is not what is asked.
        try await fill(pauseMilliseconds: 15)
      }
      recorder.begin(activity)
      let end = Clock.now() + UInt64(settings.activitySeconds) * 1_000_000_000
      repeat {
        try await body()
      } while activity != .space && Clock.now() < end && !recorder.isStopped
      while Clock.now() < end, !recorder.isStopped { await pause(1) }
      recorder.end(activity, isCompleted: !recorder.isStopped)
    } catch {
      recorder.end(activity, isCompleted: false)
      recorder.fail(activity.rawValue, error)
    }
  }

  private func pause(_ seconds: Int) async {
    let end = Clock.now() + UInt64(seconds) * 1_000_000_000
    while Clock.now() < end, !recorder.isStopped {
      try? await Task.sleep(for: .milliseconds(100))
    }
  }

  private var administration: TidingsV1.AdminService.Client { .init(client.transport) }

  /// Removes old notifications and all tombstones.
  private func retention() async throws {
    _ = try await administration.setRetention(
      .init(tombstoneRetentionDays: 0, notificationsMax: Self.keptNotifications)
    )
    for _ in 0..<30 where !recorder.isStopped {
      await pause(1)
      let statistics = try await administration.fetchStatistics(.init())
      if statistics.events < 2 * Self.keptNotifications { break }
    }
    _ = try await administration.setRetention(.init(resets: true))
  }

  private func buildIndexes() async throws {
    try await declare(isQueryable: true)
    while !recorder.isStopped {
      let indexes = try await client.schemas.fetchSchema(SoakWorld.schemaRequest).indexes
      let built = indexes.filter { Self.indexedFields.contains($0.fieldName) && $0.state == .ready }
      if built.count >= Self.indexedFields.count { break }
      try await Task.sleep(for: .milliseconds(100))
    }
    try await declare(isQueryable: false)
  }

  private func declare(isQueryable: Bool) async throws {
    let text = try await client.schemas.fetchSchema(SoakWorld.schemaRequest).text
    _ = try await client.schemas.applySchema(
      .init(
        container: Calls.database.container,
        text: SchemaText.declaring(Self.indexedFields, in: text, isQueryable: isQueryable)
      )
    )
  }

  private func backUp() async throws {
    var bytes = 0
    for try await response in administration.createBackup(.init()) { bytes += response.chunk.count }
    guard bytes > 0 else { throw BenchError("a backup without bytes") }
  }

  private static let spaceZone = TidingsV1.ZoneID(zoneName: "space")

  private func fill(pauseMilliseconds: Int) async throws {
    releases.begin(FileFacts(database).bytes)
    try await SoakCheck.zones(
      client.zones.modifyRecordZones(
        .init(databaseID: Calls.database, zonesToSave: [.init(zoneID: Self.spaceZone)])
      )
    )
    for first in stride(from: 0, to: Self.spaceRecords, by: Self.spaceRecordsPerCall) {
      guard !recorder.isStopped else { return }
      let records = (first..<first + Self.spaceRecordsPerCall).map {
        Calls.record(
          Calls.digits($0),
          serial: Calls.digits($0),
          type: "Filler",
          zone: Self.spaceZone,
          bytes: Self.spaceRecordBytes
        )
      }
      try await SoakCheck.records(
        client.records.modifyRecords(Calls.saving(records, updates: false))
      )
      if pauseMilliseconds > 0 { try await Task.sleep(for: .milliseconds(pauseMilliseconds)) }
    }
  }

  private func deleteZone() async throws {
    try await SoakCheck.zones(
      client.zones.modifyRecordZones(
        .init(databaseID: Calls.database, zoneIDsToDelete: [Self.spaceZone])
      )
    )
  }

  /// Deletes the zone, and waits until the database file is small again.
  private func releaseSpace() async throws {
    releases.full(FileFacts(database).bytes)
    let began = Clock.now()
    try await deleteZone()
    var seconds = 0.0
    repeat {
      await pause(1)
      seconds = Double(Clock.now() - began) / 1e9
      releases.note(FileFacts(database).bytes, seconds)
    } while !releases.isEnough && seconds < Double(Self.patienceSeconds) && !recorder.isStopped
    releases.end(isCounted: !recorder.isStopped)
  }
}
