internal import Foundation
internal import RandomSupport
internal import Synchronization
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto

/// A store that lost nothing is never refused, however its server ended.
@Suite(.endsServers, .embeddedOnly) struct SideFileTests {
  private static let state = "data/store.state"

  private func copy(_ folder: TemporaryFolder) throws -> TemporaryFolder {
    let copy = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: folder.file("data"), toPath: copy.file("data"))
    return copy
  }

  private func expectSaves(_ folder: TemporaryFolder, _ count: Int) async throws {
    let server = try await TestServer.start(in: folder)
    let client = try await server.client(as: "ada")
    for index in 0..<count {
      #expect(try await client.fetch([.init("h\(index)")])[0].record != nil, "h\(index)")
    }
    try await server.crash()
  }

  private func mode(_ path: String) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue
  }

  @Test("a state that a power loss left behind by any number of commits is taken")
  func lag() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    var states: [[UInt8]] = []
    for index in 0..<6 {
      try await client.save(.init("Houses", "h\(index)"))
      states.append(try server.folder.read(Self.state))
    }
    #expect(try mode(server.folder.file(Self.state)) == 0o600)
    try await server.crash()
    #expect(try server.folder.read(Self.state) == states.last)
    for state in states + [Array(states[2][..<4096]) + states[3][4096...]] {
      let folder = try copy(server.folder)
      try folder.write(state, to: Self.state)
      try await expectSaves(folder, 6)
    }
  }

  @Test("a log that was begun again since the state was noted is taken, and a cut one is not")
  func restartedLog() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    func header() throws -> [UInt8] {
      try Array(server.folder.read("data/tidings.sqlite-wal")[..<32])
    }
    try await client.save(.init("Houses", "h0"))
    let (first, old) = (try header(), try server.folder.read(Self.state))
    // What is worth moving is moved, and the log is begun again.
    let blob = TidingsV1.FieldValue(.bytesValue([UInt8](repeating: 7, count: 900_000)))
    var count = 1
    while try header() == first {
      try await client.save(.init("Houses", "h\(count)", ["blob": blob]))
      count += 1
      try #require(count < 200, "the log is not begun again")
    }
    try await client.save(.init("Houses", "h\(count)"))
    count += 1
    try await server.crash()
    let lagging = try copy(server.folder)
    try lagging.write(old, to: Self.state)
    try await expectSaves(lagging, count)
    let cut = try copy(server.folder)
    let handle = try #require(FileHandle(forWritingAtPath: cut.file("data/tidings.sqlite-wal")))
    try handle.truncate(atOffset: 32)
    try handle.close()
    let process = try ServerProcess(
      arguments: [
        "--rpc", "tcp://127.0.0.1:0", "--push", "tcp://127.0.0.1:0", "--data", cut.file("data"),
      ])
    #expect(try await process.waitForExit() == .code(1))
    #expect(
      process.seen.value.errors.contains("ends at frame 0 of"),
      "\(process.seen.value.errors)"
    )
    try await expectSaves(server.folder, count)
  }

  @Test("kill -9 at any moment of starts, saves and stops leaves a store that is taken")
  func kills() async throws {
    let seed = Seed.make("sideFileKills")
    var random = SplitMix64(seed: seed)
    let folder = try TemporaryFolder()
    var acknowledged = 0
    for round in 0..<25 {
      let process = try ServerProcess(
        arguments: [
          "--rpc", "ipc://\(folder.file("rpc"))", "--push", "ipc://\(folder.file("push"))",
          "--data", folder.file("data"),
        ])
      if random.oneIn(3) {
        // A random pause, so that the kill comes at another point of the start.
        try await Task.sleep(for: .milliseconds(random.below(120)))
        process.send(9)
      } else {
        _ = try await process.seen.wait("rpcd to be ready") {
          $0.exit != nil || $0.output.contains("ready")
        }
        try #require(
          process.seen.value.exit == nil,
          "seed \(seed), round \(round): \(process.seen.value.errors)"
        )
        var configuration = ClientConfiguration(endpoint: "ipc://\(folder.file("rpc"))")
        configuration.user = "ada"
        let client = try await Client(configuration)
        for _ in 0..<random.below(4) {
          try await client.save(.init("Houses", "h\(acknowledged)"))
          acknowledged += 1
        }
        await client.close()
        // During the stop, or without one.
        if random.oneIn(2) { process.send(15) }
        // A random pause, so that the kill comes at another point of the stop, or after it.
        if random.oneIn(2) { try await Task.sleep(for: .milliseconds(random.below(40))) }
        process.send(9)
      }
      try await process.waitForExit()
      let errors = process.seen.value.errors
      #expect(!errors.contains("accept-loss"), "seed \(seed), round \(round): \(errors)")
    }
    try await expectSaves(folder, acknowledged)
  }

  @Test(
    "a state file that is missing or damaged is rewritten, with a warning",
    arguments: [true, false]
  )
  func withoutState(missing: Bool) async throws {
    var server = try await TestServer.start()
    try await server.client(as: "ada").save(.init("Houses", "h0"))
    try await server.crash()
    let folder = server.folder
    if missing {
      try FileManager.default.removeItem(atPath: folder.file(Self.state))
    } else {
      try folder.write([UInt8](repeating: 5, count: 9000), to: Self.state)
    }
    server = try await .start(in: folder)
    try await server.process.seen.wait("the warning") {
      $0.errors.contains("state file is missing or damaged")
    }
    #expect(try await server.client(as: "ada").fetch([.init("h0")])[0].record != nil)
    try await server.stop()
    server = try await .start(in: folder)
    #expect(!server.process.seen.value.errors.contains("state file"))
  }
}
