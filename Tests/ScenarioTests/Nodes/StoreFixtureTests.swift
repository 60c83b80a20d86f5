#if PostgreSQL
internal import Foundation
internal import PostgresTestSupport
internal import TestSupport
internal import Testing
internal import TidingsPostgres
internal import TidingsSQL

/// Databases of earlier versions are opened, upgraded, and have the content that they had.
@Suite(
  .endsServers,
  .enabled(
    if: PostgresCluster.isAvailable,
    "PostgreSQL is not installed: run tools/install-dependencies --postgres"
  )
)
struct StoreFixtureTests {
  @Test(
    "the fixture of this data format is made",
    .enabled(if: FixtureFiles.areMade, "TIDINGS_MAKE_FIXTURE is not set")
  )
  func make() async throws {
    let uri = try PostgresCluster.shared().makeDatabaseURI()
    let server = try await TestServer.start(environment: ["RPCD_DATABASE": uri])
    let view = try await StoredContent(server: server).fill()
    try await server.stop()
    let format = try PostgresConnection(try PostgresAddress(uri)).dataFormat() ?? 0
    try StoreFixture(format: format).write(database: uri, view)
  }

  @Test(
    "a database of an earlier version is brought to the data format of this one, and of the next one, and has all of its content",
    .enabled(if: !FixtureFiles.areMade, "the fixture is being made"),
    arguments: StoreFixture.all.map(\.format),
    [[:], ["TIDINGS_TEST_NEXT_FORMAT": "1"]]
  )
  func upgrades(format: Int64, version: [String: String]) async throws {
    let fixture = StoreFixture(format: format)
    let (view, age) = try fixture.view()
    let uri = try fixture.load()
    let connection = PostgresConnection(try PostgresAddress(uri))
    #expect(try connection.dataFormat() == format)
    // At the time at which it was made, before anything expires.
    let clock = try ClockFault()
    try clock.setTimeOfDay(ahead: .seconds(60) - age)
    let environment = clock.environment.merging(["RPCD_DATABASE": uri]) { $1 }
    var server = try await TestServer.startLasting(
      environment: environment.merging(version) { $1 }
    )
    if !version.isEmpty { #expect(try connection.dataFormat() ?? 0 > format) }
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
      try await server.crash()
      server = try await server.restarted()
    }
    let log = try await StoredContent(server: server).change(after: view.tokens)
    #expect(log == ["n1", "n2", "n3", "n4", "n0", "keyed", "later"])
  }
}
#endif
