#if PostgreSQL
internal import PostgresTestSupport
internal import RPCTestSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsPostgres
internal import TidingsProto
internal import TidingsRPC
internal import TidingsSQL

/// Several nodes of one database, in development mode.
struct NodeWorld {
  let uri: String
  private(set) var nodes: [TestServer] = []

  /// Starts nodes one after the other: the first leads.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - uri: The database; `nil`: a new one.
  ///   - arguments: Of all of them.
  ///   - ownArguments: Further arguments of each; empty: none.
  ///   - environments: Further variables of each; empty: none.
  ///   - advertised: The endpoint that a node is to name to others, from its own; `nil`: its own.
  /// - Throws: When one does not start.
  init(
    _ count: Int = 3,
    on uri: String? = nil,
    arguments: [String] = [],
    ownArguments: [[String]] = [],
    environments: [[String: String]] = [],
    advertised: (String) throws -> String? = { _ in nil }
  ) async throws {
    let uri = try uri ?? PostgresCluster.shared().makeDatabaseURI()
    self.uri = uri
    for number in 0..<count {
      let (rpc, push) = (ReservedPort(), ReservedPort())
      let name = try advertised(rpc.endpoint).map { ["--advertise-rpc", $0] } ?? []
      let own = ownArguments.isEmpty ? [] : ownArguments[number]
      let environment = environments.isEmpty ? [:] : environments[number]
      nodes.append(
        try await TestServer.start(
          rpc: rpc.endpoint,
          push: push.endpoint,
          keeping: [rpc, push],
          arguments: ["--node-name", "node-\(number)"] + name + arguments + own,
          environment: environment.merging(["RPCD_DATABASE": uri]) { $1 }
        )
      )
    }
  }

  /// Starts a node again that was ended.
  ///
  /// - Parameters:
  ///   - index: Which.
  ///   - environment: Further variables in place of those that it had; `nil`: the same.
  /// - Throws: When it does not start.
  mutating func restart(_ index: Int, environment: [String: String]? = nil) async throws {
    nodes[index] = try await nodes[index].restarted(
      environment: environment?.merging(["RPCD_DATABASE": uri]) { $1 }
    )
  }

  /// What a node says of all of them.
  func status(from index: Int) async throws -> TidingsV1.FetchClusterStatusResponse {
    let client = try await nodes[index].client(as: "root")
    return try await TidingsV1.AdminService.Client(client.transport)
      .fetchClusterStatus(.init())
  }

  /// The node that leads, as soon as one does that is not the given one.
  func leader(from index: Int, other than: Int? = nil) async throws -> Int {
    var number: Int?
    try await waitUntil("a leader", pausing: .milliseconds(20)) {
      let leader = (try? await status(from: index))?.nodes.first { $0.role == .leader }
      number = leader?.name.split(separator: "-").last.flatMap { Int($0) }
      return number != nil && number != than
    }
    return try #require(number)
  }

  /// Waits until so many nodes follow.
  func wait(forFollowers count: Int, from index: Int) async throws {
    try await waitUntil("\(count) nodes that follow", pausing: .milliseconds(20)) {
      (try? await status(from: index))?.nodes.count == count + 1
    }
  }

  /// Waits until each node that follows has looked who leads.
  ///
  /// - Parameters:
  ///   - database: A connection to the database.
  ///   - term: The term in which they follow; `nil`: it does not end. After its end nobody has to look.
  /// - Returns: Whether they have looked.
  /// - Throws: `SQLError`; `WaitingFailure` after the deadline.
  @discardableResult
  func waitUntilRead(
    _ database: PostgresConnection,
    inTerm term: UInt64? = nil
  ) async throws -> Bool {
    let select = try database.prepare(
      """
      SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE '%FROM leader l%' AND pid <> pg_backend_pid()
        AND query_start > CAST(?1 AS TIMESTAMPTZ)
      """
    )
    let clock = try database.prepare("SELECT CAST(clock_timestamp() AS TEXT)")
    _ = try clock.step()
    let begin = clock.string(0)
    clock.reset()
    var hasEnded = false
    try await waitUntil("each node that follows to look who leads", pausing: .milliseconds(20)) {
      var count: Int64 = 0
      select.bind(begin, at: 1)
      try select.forEachRow { count = select.int64(0) }
      if count >= Int64(nodes.count - 1) { return true }
      guard let term else { return false }
      let newest = try database.prepare("SELECT max(term) FROM leader")
      defer { newest.reset() }
      hasEnded = try newest.step() && newest.int64(0) != Int64(term)
      return hasEnded
    }
    return !hasEnded
  }

  /// The number of the newest step that the database has seen.
  func dataFormat() throws -> Int64 { try database().dataFormat() ?? 0 }

  /// A connection to the database.
  func database() throws -> PostgresConnection {
    PostgresConnection(try PostgresAddress(uri))
  }
}
#endif
