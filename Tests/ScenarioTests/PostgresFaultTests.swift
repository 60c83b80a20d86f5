#if PostgreSQL
internal import Foundation
internal import PostgresTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsPostgres
internal import TidingsProto
internal import TidingsRPC
internal import TidingsSQL

/// rpcd on PostgreSQL, while connections to it are cut and its processes die.
@Suite(
  .endsServers,
  .enabled(
    if: PostgresCluster.isAvailable,
    "PostgreSQL is not installed: run tools/install-dependencies --postgres"
  )
)
struct PostgresFaultTests {
  private static let writerCount = 4

  /// With `TIDINGS_CUT_CONNECTIONS=1000` as many are cut.
  @Test("cut connections to the database lose no save, double none and fail no call")
  func cuts() async throws {
    let cluster = try PostgresCluster.shared()
    guard let folder = cluster.folder, let port = cluster.parameter("port") else { return }
    let seed = Seed.make("PostgresFaultTests")
    let cutsMin =
      ProcessInfo.processInfo.environment["TIDINGS_CUT_CONNECTIONS"].flatMap(Int.init) ?? 40
    let uri = try cluster.makeDatabaseURI()
    let password = try String(contentsOfFile: folder + "/password", encoding: .utf8)
    // Once it has its tables: a start is not what is cut.
    let first = try await Self.start(uri)
    try await first.stop()
    let proxy = try CallProxy(to: "tcp://127.0.0.1:\(port)", cutWithin: 400_000, seed: seed)
    let proxyPort = try #require(proxy.endpoint.split(separator: ":").last)
    let address =
      "postgresql://tidings:\(password)@127.0.0.1:\(proxyPort)/\(cluster.name(of: uri))?sslmode=disable"
    let server = try await Self.startPatiently(address)
    let written = try await Self.write(to: server) { _ in proxy.cutCount >= cutsMin }
    proxy.behave()
    try await Self.verify(written, on: server, seed)
    #expect(written.failures == [], "seed \(seed)")
  }

  @Test("a backend that is killed loses no save, doubles none and fails no call")
  func backends() async throws {
    let cluster = try PostgresCluster.shared()
    let seed = Seed.make("PostgresFaultTests")
    let uri = try cluster.makeDatabaseURI()
    let server = try await Self.start(uri)
    let observer = PostgresConnection(try PostgresAddress(uri))
    let written = try await Self.write(to: server) { count in
      // With nobody's help a new one is there for the next group.
      let terminate = try observer.prepare(
        """
        SELECT count(*) FROM (SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'rpcd' AND pid <> pg_backend_pid()) AS t
        """
      )
      try terminate.forEachRow {}
      return count >= 400
    }
    try await Self.verify(written, on: server, seed)
    #expect(written.failures == [], "seed \(seed)")
  }

  @Test("a crash of the database loses no acknowledged save, and rpcd goes on by itself")
  func crash() async throws {
    let cluster = try PostgresCluster()
    guard cluster.folder != nil else { return }
    let seed = Seed.make("PostgresFaultTests")
    let server = try await Self.start(try cluster.makeDatabaseURI())
    var crashes = 0
    let written = try await Self.write(to: server) { count in
      guard count > 60 * (crashes + 1) else { return false }
      try cluster.crash()
      crashes += 1
      return crashes == 3
    }
    try await Self.verify(written, on: server, seed)
    #expect(written.failures.allSatisfy { $0 == .unavailable }, "seed \(seed)")
  }

  // MARK: A counter for each writer

  /// What was acknowledged and what failed.
  private struct Written: Sendable {
    /// The last acknowledged number of each writer's record.
    var numbers: [Int: Int64] = [:]
    /// Saves that met another record than the last acknowledged one.
    var conflicts: [String] = []
    /// Codes of failed calls.
    var failures: [StatusCode] = []

    var total: Int { Int(numbers.values.reduce(0, +)) }
  }

  private static func start(_ uri: String) async throws -> TestServer {
    try await TestServer.start(environment: ["RPCD_DATABASE": uri])
  }

  /// A start whose connection is cut fails with the reason, and is repeated by what supervises it.
  private static func startPatiently(_ uri: String) async throws -> TestServer {
    for _ in 0..<50 {
      if let server = try? await start(uri) { return server }
    }
    return try await start(uri)
  }

  /// Lets writers count, each in a record of its own, until the test has seen enough.
  ///
  /// - Parameters:
  ///   - server: The server that they call.
  ///   - isEnough: Called again and again with how many saves were acknowledged.
  /// - Returns: What was written.
  /// - Throws: What a writer cannot go on after.
  private static func write(
    to server: TestServer,
    until isEnough: (Int) throws -> Bool
  ) async throws -> Written {
    let (written, isStopping) = (Observed(Written()), Observed(false))
    let writers = try await (0..<writerCount).asyncMap { writer in
      let client = try await server.client(as: "user-\(writer % 2)", retries: false)
      return Task {
        var (number, tag): (Int64, String) = (0, "")
        while !isStopping.value {
          do {
            let counter = TidingsV1.Record(
              "Counter",
              "writer-\(writer)",
              tag: tag,
              ["number": .init(.int64Value(number + 1))]
            )
            let result = try await client.modify([counter], policy: .ifServerRecordUnchanged)[0]
            guard let record = result.record else {
              // A save that was said to have failed was kept, or one was lost.
              written.update { [number] in
                $0.conflicts.append("writer \(writer) after \(number): \(result)")
              }
              return
            }
            (number, tag) = (number + 1, record.changeTag)
            written.update { [number] in $0.numbers[writer] = number }
          } catch let error as RPCError {
            written.update { $0.failures.append(error.code) }
            // Known not to be there, or else the next save is a conflict.
            try await Task.sleep(for: .milliseconds(20))
          }
        }
      }
    }
    var total = 0
    repeat {
      let before = total
      let now = try await written.wait("saves") {
        $0.total > before || !$0.conflicts.isEmpty
      }
      total = now.total
      if !now.conflicts.isEmpty { break }
    } while try !isEnough(total)
    let end = total + 20
    try await written.wait("saves after the last fault") {
      $0.total > end || !$0.conflicts.isEmpty
    }
    isStopping.update { $0 = true }
    for writer in writers { try await writer.value }
    return written.value
  }

  private static func verify(_ written: Written, on server: TestServer, _ seed: UInt64) async throws
  {
    #expect(written.conflicts == [], "seed \(seed)")
    for writer in 0..<writerCount {
      let client = try await server.client(as: "user-\(writer % 2)")
      let record = try await client.fetch([.init("writer-\(writer)")])[0].record
      guard case .int64Value(let number)? = record?.fields["number"]?.value else {
        Issue.record("writer \(writer) has no record (seed \(seed))")
        continue
      }
      #expect(number == written.numbers[writer], "writer \(writer), seed \(seed)")
    }
  }
}
#endif
