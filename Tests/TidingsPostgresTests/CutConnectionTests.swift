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
    guard let folder = cluster.folder, let port = cluster.parameter("port") else { return }
    let seed = Seed.make("CutConnectionTests")
    let password = try String(contentsOfFile: folder + "/password", encoding: .utf8)
    let uri = try cluster.makeDatabaseURI()
    let name = try #require(uri.prefix { $0 != "?" }.split(separator: "/").last)
    let observer = PostgresConnection(try PostgresAddress(uri))
    try observer.execute("CREATE TABLE t (n BIGINT PRIMARY KEY)")
    // A login takes about 1,000 bytes either way.
    let proxy = try CallProxy(to: "tcp://127.0.0.1:\(port)", cutWithin: 8_000, seed: seed)
    let proxyPort = try #require(proxy.endpoint.split(separator: ":").last)
    var (committed, absent, unknown): ([Int64], [Int64], Int) = ([], [], 0)
    for number in 0..<25 as Range<Int64> {
      let address =
        "postgresql://tidings:\(password)@127.0.0.1:\(proxyPort)/\(name)?sslmode=disable"
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

  private func numbers(_ sql: String, _ connection: PostgresConnection) throws -> [Int64] {
    let statement = try connection.prepare(sql)
    var numbers: [Int64] = []
    try statement.forEachRow { numbers.append(statement.int64(0)) }
    return numbers
  }
}
#endif
