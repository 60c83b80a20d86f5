internal import Foundation
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsKit

/// What each language's interface returns is sent back as it came, and changes nothing.
@Suite(.endsServers) struct RoundTripTests {
  @Test("records, zones, shares, subscriptions and users stay as they are")
  func languages() async throws {
    let seed = Seed.make("RoundTripTests")
    let world = try await RoundTripWorld(seed: seed)
    var random = SplitMix64(seed: seed)
    let task = world.task(numbersAsStrings: random.oneIn(2))
    let before = try await world.state()
    func expectSame(after language: String) async throws {
      let now = try await world.state()
      #expect(Set(now.keys) == Set(before.keys), "\(language), seed \(seed)")
      for (name, value) in before {
        #expect(now[name] == value, "\(language) changed \(name), seed \(seed)")
      }
    }
    for (language, command) in try await Self.programs() {
      let folder = try TemporaryFolder()
      var environment = Self.rpcctlEnvironment(world, folder)
      environment["TIDINGS_ROUND_TRIP"] = task
      environment["PYTHONPATH"] = "\(Repository.root)/tools/python/src"
      let run = try await ForeignProgram.run(
        command[0],
        Array(command.dropFirst()),
        environment: environment
      )
      #expect(run.exit == 0, "\(language), seed \(seed): \(run.output)\(run.errors)")
      try await expectSame(after: language)
    }
    try await saveAll(world)
    try await expectSame(after: "TidingsKit")
  }

  private static func programs() async throws -> [(language: String, command: [String])] {
    let folder = "\(Repository.root)/Tests/LanguageTests/RoundTrip"
    let made = try await ForeignProgram.run("\(Repository.root)/tools/python-environment")
    let python = made.lines.last.map { "\($0)/python" } ?? made.errors
    return [
      ("HTTP", ["/bin/python3", "\(folder)/gateway.py"]),
      ("tidings.js", ["/bin/sh", "-c", "exec node \"$@\"", "node", "\(folder)/tidings-js.mjs"]),
      ("Python", [python, "-B", "\(folder)/client.py"]),
      ("rpcctl", ["/bin/bash", "\(folder)/rpcctl.sh"]),
    ]
  }

  private static func rpcctlEnvironment(
    _ world: RoundTripWorld,
    _ folder: TemporaryFolder
  ) -> [String: String] {
    func trips(_ zones: [RoundTripWorld.Zone]) -> String {
      zones.map { zone in
        let name = zone.owner.isEmpty ? zone.name : "\(zone.owner)/\(zone.name)"
        return "trip \(name) \(zone.records.joined(separator: " "))"
      }.joined(separator: "\n")
    }
    let programs = (try? Repository.program("rpcctl")).map { String($0.dropLast("/rpcctl".count)) }
    return [
      "PATH": "\(programs ?? ""):\(Executable.searchPath)", "HOME": folder.path,
      "FOLDER": folder.path, "OWN": trips(RoundTripWorld.zones),
      "SHARED": trips(RoundTripWorld.shared), "RPCCTL_ENDPOINT": world.server.rpcEndpoint,
      "RPCCTL_CONNECT_TIMEOUT": "60s", "RPCCTL_TIMEOUT": "10m",
    ]
  }

  /// Saves with TidingsKit all that it fetches, each value set as it was read.
  private func saveAll(_ world: RoundTripWorld) async throws {
    func container(_ user: String) -> CKContainer {
      var connection = CKContainer.Connection()
      connection.endpoints = [world.server.rpcEndpoint]
      connection.user = user
      return CKContainer(connection)
    }
    let (ada, ben) = (container("ada"), container("ben"))
    for (database, zones) in [
      (ada.privateCloudDatabase, RoundTripWorld.zones),
      (ben.sharedCloudDatabase, RoundTripWorld.shared),
    ] {
      for zone in zones {
        let zoneID = CKRecordZone.ID(
          zoneName: zone.name,
          ownerName: zone.owner.isEmpty ? CKCurrentUserDefaultName : zone.owner
        )
        let ids = zone.records.map { CKRecord.ID(recordName: $0, zoneID: zoneID) }
        let records = try await database.records(for: ids).values.map { try $0.get() }
        for record in records {
          for key in record.allKeys() { record[key] = record[key] }
          if let parent = record.parent { record.parent = parent }
        }
        for policy in [
          CKModifyRecordsOperation.RecordSavePolicy.ifServerRecordUnchanged, .allKeys,
        ] {
          let results = try await database.modifyRecords(
            saving: records,
            deleting: [],
            savePolicy: policy
          )
          for result in results.saveResults.values { _ = try result.get() }
        }
      }
      for subscription in try await database.allSubscriptions() {
        _ = try await database.save(subscription)
      }
    }
    for zone in try await ada.privateCloudDatabase.allRecordZones()
    where zone.zoneID.zoneName != CKRecordZoneDefaultName {
      _ = try await ada.privateCloudDatabase.save(zone)
    }
  }
}
