internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsKeys
internal import TidingsProto
internal import TidingsRPC

@testable import rpcctl

/// Data folders of earlier versions are opened, upgraded, and have the content that they had.
@Suite(.endsServers, .embeddedOnly) struct EmbeddedStoreFixtureTests {
  /// What lets rpcd use a folder that has keys for clients that have none.
  private static let withoutKeys = "--development"
  /// What is saved between a start and a `kill -9`.
  private static let lastNote = "killed"

  @Test(
    "the fixtures of this data format are made",
    .enabled(if: FixtureFiles.areMade, "TIDINGS_MAKE_FIXTURE is not set")
  )
  func make() async throws {
    let folder = try TemporaryFolder()
    _ = try await SecureServer.initialize(folder)
    let server = try await TestServer.start(in: folder, arguments: [Self.withoutKeys])
    var view = try await StoredContent(server: server).fill()
    #expect(try await server.stop() == .code(0))
    let format = try FolderFixture.format(of: folder)
    try FolderFixture(format: format, end: .stopped).write(folder, view)

    let next = try await server.restarted()
    let content = StoredContent(server: next)
    _ = try await content.change(after: view.tokens, named: Self.lastNote)
    view.answers = try await content.answers(after: view.tokens)
    try await next.crash()
    try FolderFixture(format: format, end: .killed).write(folder, view)
  }

  @Test(
    "a data folder of an earlier version is upgraded to this one, and to the next one, is sound, and has all of its content",
    .enabled(if: !FixtureFiles.areMade, "the fixtures are being made"),
    arguments: FolderFixture.all,
    [[:], ["TIDINGS_TEST_NEXT_FORMAT": "1"]]
  )
  func upgrades(fixture: FolderFixture, version: [String: String]) async throws {
    let (view, age) = try fixture.view()
    let folder = try fixture.unpack()
    #expect(try FolderFixture.format(of: folder) == fixture.format)
    #expect(folder.has("data/tidings.sqlite-wal") == (fixture.end == .killed))
    // At the time at which it was made, before anything expires.
    let clock = try ClockFault()
    try clock.setTimeOfDay(ahead: .seconds(60) - age)
    let environment = clock.environment.merging(version) { $1 }
    var server = try await TestServer.startLasting(
      in: folder,
      arguments: [Self.withoutKeys, "--verify"],
      environment: environment
    )
    for round in 0..<2 {
      let content = StoredContent(server: server)
      let answers = try await content.answers(after: view.tokens)
      for (name, answer) in view.answers {
        #expect(answers[name] == answer, "\(name), round \(round)")
      }
      #expect(answers.count == view.answers.count)
      let audit = try await content.audit()
      #expect(audit.actions.contains("CreateUser"))
      #expect(audit.problems == [])
      let check = await RpcctlRun(server, ["server", "check", "--structure"], as: "root")
      #expect(check.exitCode == .success, "\(check.out)\(check.err)")
      #expect(check.err.contains("1 assets read, no damage found"), "\(check.err)")
      try await server.crash()
      server = try await server.restarted()
    }
    let log = try await StoredContent(server: server).change(after: view.tokens)
    let last = fixture.end == .killed ? [Self.lastNote] : []
    #expect(log == ["n1", "n2", "n3", "n4", "n0", "keyed"] + last + ["later"])
    try await server.stop()
    try await expectKeys(folder, environment)
    if !version.isEmpty { try await expectRefusal(folder, clock.environment) }
  }

  /// With its keys, the folder's administrator can connect.
  private func expectKeys(_ folder: TemporaryFolder, _ environment: [String: String]) async throws {
    let server = try await TestServer.start(in: folder, environment: environment)
    var configuration = ClientConfiguration(endpoint: server.rpcEndpoint)
    configuration.keys = try ClientKeys(
      file: folder.file("data/root.key"),
      server: folder.file("data/server.pub")
    )
    configuration.timeout = .seconds(600)
    configuration.connectTimeout = .seconds(60)
    let client = try await Client(configuration)
    let users = try await TidingsV1.AdminService.Client(client.transport).listUsers(.init())
    #expect(users.accounts.map(\.name) == ["ada", "ben", "eve", "root"])
    try await server.stop()
  }

  /// This version does not open what the next one has upgraded, and names both data formats.
  private func expectRefusal(
    _ folder: TemporaryFolder,
    _ environment: [String: String]
  ) async throws {
    let format = try FolderFixture.format(of: folder)
    let refused = await #expect(throws: WaitingFailure.self) {
      _ = try await TestServer.start(in: folder, environment: environment)
    }
    #expect(
      "\(refused as Any)".contains("schema \(format); this program knows \(format - 1)"),
      "\(refused as Any)"
    )
    #expect(try FolderFixture.format(of: folder) == format)
  }
}
