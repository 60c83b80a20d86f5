#if PostgreSQL
internal import Foundation
internal import PostgresTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsSQL

@testable internal import TidingsPostgres

/// Connections are cut anywhere, also between a COMMIT and its answer.
@Suite(
  .enabled(
    if: PostgresCluster.isAvailable,
    "PostgreSQL is not installed: run tools/install-dependencies --postgres"
  )
)
struct CutConnectionTests {
  @Test("no acknowledged commit is lost, and none took place that was reported as not committed")
  func cuts() throws {
    let cluster = try PostgresCluster.shared()
    guard cluster.folder != nil else { return }
    let seed = Seed.make("CutConnectionTests")
    let uri = try cluster.makeDatabaseURI()
    let observer = PostgresConnection(try PostgresAddress(uri))
    try observer.execute("CREATE TABLE t (n BIGINT PRIMARY KEY)")
    // A login takes about 1,000 bytes either way.
    let proxy = try CallProxy(to: "tcp://127.0.0.1:\(cluster.port())", cutWithin: 8_000, seed: seed)
    let port = try #require(proxy.endpoint.split(separator: ":").last.flatMap { UInt16($0) })
    var (committed, absent, unknown): ([Int64], [Int64], Int) = ([], [], 0)
    for number in 0..<25 as Range<Int64> {
      let address = try cluster.uri(of: uri, through: port)
      let connection = PostgresConnection(try PostgresAddress(address))
      do {
        let insert = try connection.prepare("INSERT INTO t VALUES (?1)")
        for offset in 0..<400 as Range<Int64> {
          try connection.execute("BEGIN")
          insert.bind(1_000 * number + offset, at: 1)
          try insert.run()
          do throws(SQLError) {
            try connection.execute("COMMIT")
            committed.append(1_000 * number + offset)
          } catch {
            if error.kind == .uncertain {
              unknown += 1
            } else {
              absent.append(1_000 * number + offset)
            }
            throw error
          }
        }
      } catch let error as SQLError {
        #expect([.disconnected, .uncertain].contains(error.kind), "seed \(seed): \(error)")
      }
    }
    // A server that has not noticed yet that its client is gone may still commit what is uncertain.
    let present = Set(try numbers("SELECT n FROM t", observer))
    #expect(present.isSuperset(of: committed), "seed \(seed)")
    #expect(present.isDisjoint(with: absent), "seed \(seed)")
    #expect(!committed.isEmpty && unknown > 0, "seed \(seed)")
  }

  /// With `TIDINGS_CUT_COMMITS=1000` as many are lost.
  @Test(
    "a connection with a lock knows the outcome of every commit, whose answers are cut off or not"
  )
  func decisions() throws {
    let cluster = try PostgresCluster.shared()
    guard cluster.folder != nil else { return }
    let seed = Seed.make("CutConnectionTests")
    let cutCount =
      ProcessInfo.processInfo.environment["TIDINGS_CUT_COMMITS"].flatMap(Int.init) ?? 25
    let uri = try cluster.makeDatabaseURI()
    let observer = PostgresConnection(try PostgresAddress(uri))
    try observer.migrate([Self.table])
    let proxy = try CallProxy(to: "tcp://127.0.0.1:\(cluster.port())", cutWithin: 8_000, seed: seed)
    let port = try #require(proxy.endpoint.split(separator: ":").last.flatMap { UInt16($0) })
    let address = try cluster.uri(of: uri, through: port)
    var profile = PostgresProfile.writer
    profile.sessionLock = 8
    let connection = PostgresConnection(try PostgresAddress(address), profile: profile)
    let insert = try connection.prepare("INSERT INTO t VALUES (?1)")
    var (number, lost, committed): (Int64, Int, [Int64]) = (0, 0, [])
    while lost < cutCount, number < 1_000 * cutCount {
      number += 1
      var hasBegun = false
      do throws(SQLError) {
        try connection.execute("BEGIN")
        hasBegun = true
        insert.bind(number, at: 1)
        try insert.run()
        try connection.execute("COMMIT")
        committed.append(number)
      } catch {
        if hasBegun { lost += 1 }
        #expect(error.kind == .disconnected, "seed \(seed): \(error)")
        connection.abandon()
        // A connection is not made again before that.
        if let pause = connection.retryAfter { Thread.sleep(forTimeInterval: pause / .seconds(1)) }
      }
    }
    #expect(lost == cutCount && !committed.isEmpty, "seed \(seed)")
    // All of those and nothing else: what was reported as not committed is not there.
    #expect(try numbers("SELECT n FROM t ORDER BY n", observer) == committed, "seed \(seed)")
  }

  private static let table = Migration(
    number: 1,
    name: "t",
    sql: "CREATE TABLE t (n BIGINT PRIMARY KEY)"
  )

  private func numbers(_ sql: String, _ connection: PostgresConnection) throws -> [Int64] {
    let statement = try connection.prepare(sql)
    var numbers: [Int64] = []
    try statement.forEachRow { numbers.append(statement.int64(0)) }
    return numbers
  }
}
#endif
