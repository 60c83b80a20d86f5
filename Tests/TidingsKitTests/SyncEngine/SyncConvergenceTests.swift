import Foundation
import RandomSupport
import TestSupport
import Testing
import TidingsKit

/// Engines that edit at random, online and offline, and are killed at random, have the same in the end.
@Suite(.endsServers) struct SyncConvergenceTests {
  private final class Device {
    let database: CKDatabase
    var notebook = Notebook()
    var engine: CKSyncEngine

    init(_ kit: KitServer, _ number: Int) {
      database = kit.container(device: "device-\(number)").privateCloudDatabase
      engine = notebook.engine(database)
    }

    /// Starts again with what was kept last; what was under way is lost.
    func restart() {
      notebook = Notebook(notebook.persisted)
      engine = notebook.engine(database)
    }
  }

  @Test("all devices converge", arguments: [3, 5])
  func converging(count: Int) async throws {
    let seed = Seed.make("SyncConvergenceTests.converging(\(count))")
    var random = SplitMix64(seed: seed)
    let kit = try await KitServer()
    let devices = (0..<count).map { Device(kit, $0) }
    for version in 1...150 {
      let device = devices[Int.random(in: 0..<count, using: &random)]
      let name = "note-\(Int.random(in: 0..<12, using: &random))"
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<45:
        device.notebook.write(
          "\(seed % 100)-\(version)",
          to: name,
          version: version,
          device.engine
        )
      case 45..<58: device.notebook.erase(name, device.engine)
      case 58..<74: try? await device.engine.sendChanges()
      case 74..<90: try? await device.engine.fetchChanges()
      case 90..<93:
        // Killed in the middle of what it does.
        let (engine, sends) = (device.engine, Bool.random(using: &random))
        let task = Task {
          if sends { try await engine.sendChanges() } else { try await engine.fetchChanges() }
        }
        await Task.yield()
        device.restart()
        task.cancel()
      case 93..<98: device.restart()
      default: device.notebook.reset(device.engine)
      }
    }
    try await settle(devices)
    let fresh = Device(kit, count)
    try await fresh.engine.fetchChanges()
    for device in devices {
      #expect(device.notebook.notes == fresh.notebook.notes, "seed \(seed)")
      #expect(device.engine.state.pendingRecordZoneChanges.isEmpty, "seed \(seed)")
    }
    // A device that starts with what was kept has the same, too.
    for device in devices {
      device.restart()
      try await device.engine.fetchChanges()
      #expect(device.notebook.notes == fresh.notebook.notes, "seed \(seed)")
    }
  }

  /// Syncs until nobody has anything to send any more, and all have was notified of everything.
  private func settle(_ devices: [Device]) async throws {
    for _ in 0..<40 {
      var isQuiet = true
      for device in devices {
        try await device.engine.fetchChanges()
        let state = device.engine.state
        if state.pendingRecordZoneChanges.isEmpty, state.pendingDatabaseChanges.isEmpty { continue }
        isQuiet = false
        try? await device.engine.sendChanges()
      }
      if isQuiet { return }
    }
    Issue.record("the devices do not come to rest")
  }
}
