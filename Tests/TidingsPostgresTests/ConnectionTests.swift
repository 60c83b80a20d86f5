#if PostgreSQL
internal import Foundation
internal import PostgresTestSupport
internal import TestSupport
internal import Testing
internal import TidingsSQL

@testable internal import TidingsPostgres

/// What happens to a connection whose server or network fails.
@Suite(
  .serialized,
  .enabled(
    if: PostgresCluster.isAvailable,
    "PostgreSQL is not installed: run tools/install-dependencies --postgres"
  )
)
struct ConnectionTests {
  private let uri: String
  private let connection: PostgresConnection
  /// Watches and ends the other one.
  private let administrator: PostgresConnection

  init() throws {
    uri = try PostgresCluster.shared().makeDatabaseURI()
    connection = PostgresConnection(try PostgresAddress(uri))
    administrator = PostgresConnection(try PostgresAddress(uri))
    try connection.execute("CREATE TABLE t (n BIGINT PRIMARY KEY)")
  }

  private func numbers(_ sql: String) throws -> [Int64] {
    let statement = try connection.prepare(sql)
    var numbers: [Int64] = []
    try statement.forEachRow { numbers.append(statement.int64(0)) }
    return numbers
  }

  private func insert(_ number: Int64) throws {
    let insert = try connection.prepare("INSERT INTO t VALUES (?1)")
    insert.bind(number, at: 1)
    try insert.run()
  }

  /// Ends the connection as `kill` of its server process does, and waits for its end.
  private func terminate(_ pid: Int64) throws {
    let terminate = try administrator.prepare("SELECT pg_terminate_backend(?1::int, 10000)")
    terminate.bind(pid, at: 1)
    #expect(try terminate.step())
    #expect(terminate.int64(0) == 1)
  }

  private func failure(_ body: () throws -> Void) -> SQLError? {
    do {
      try body()
      return nil
    } catch {
      return error as? SQLError
    }
  }

  @Test("a connection that ends while it is idle is replaced, and statements are prepared again")
  func idle() throws {
    let select = try connection.prepare("SELECT count(*) FROM t WHERE n >= ?1")
    select.bind(0 as Int64, at: 1)
    for _ in 0..<3 {
      #expect(try select.step())
      select.reset()
      try terminate(try numbers("SELECT pg_backend_pid()")[0])
    }
    try connection.execute("BEGIN")
    try insert(1)
    try connection.execute("COMMIT")
    #expect(try numbers("SELECT n FROM t") == [1])
  }

  @Test("a connection that holds a lock takes it again when it was lost, and refuses others")
  func sessionLock() throws {
    let profile = try lockingProfile()
    let holder = PostgresConnection(try PostgresAddress(uri), profile: profile)
    let pid = try #require(try pid(of: holder))
    #expect(try lockHolders() == [pid])
    try insert(1, holder)
    try terminate(pid)
    // It waits for one that is just ending, whose lock is free then.
    try insert(2, holder)
    #expect(try numbers("SELECT n FROM t ORDER BY n") == [1, 2])
    #expect(try lockHolders().count == 1)
    let other = PostgresConnection(try PostgresAddress(uri), profile: profile)
    let refusal = failure { try other.connect() }
    #expect(refusal?.kind == .busy && refusal?.message.contains("in use by rpcd, ") == true)
  }

  @Test("a connection that holds a lock reports its loss once when another program had the lock")
  func lostLock() throws {
    let profile = try lockingProfile()
    let holder = PostgresConnection(try PostgresAddress(uri), profile: profile)
    try insert(1, holder)
    try terminate(try #require(try pid(of: holder)))
    let other = PostgresConnection(try PostgresAddress(uri), profile: profile)
    try insert(2, other)
    try terminate(try #require(try pid(of: other)))
    #expect(failure { try insert(3, holder) }?.kind == .disconnected)
    holder.abandon()
    try insert(4, holder)
    #expect(try numbers("SELECT n FROM t ORDER BY n") == [1, 2, 4])
  }

  @Test("a statement that was planned for an empty table is planned again when the table has grown")
  func plans() throws {
    var profile = PostgresProfile.writer
    profile.plansEachTransaction = true
    let connection = PostgresConnection(try PostgresAddress(uri), profile: profile)
    try connection.execute("VACUUM ANALYZE t")
    let select = try connection.prepare(
      "SELECT t.n FROM (VALUES (?1), (?2), (?3), (?4)) AS k JOIN t ON t.n = k.column1"
    )
    let rowsRead = try connection.prepare(
      """
      SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables
      WHERE relname = 't'
      """
    )
    func read() throws -> Int64 {
      try connection.execute("BEGIN")
      for index in 1...4 { select.bind(Int64(index), at: index) }
      try select.run()
      _ = try rowsRead.step()
      defer { rowsRead.reset() }
      try connection.execute("COMMIT")
      return rowsRead.int64(0)
    }
    _ = try read()
    try connection.execute("INSERT INTO t SELECT generate_series(1, 10000)")
    #expect(try read() <= 20)
  }

  @Test("plans are renewed soon on a new connection, and later after pauses that grow")
  func planAge() {
    var age = PlanAge()
    let start = ContinuousClock.now
    let pauses = [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]
    let over = (0...pauses.reduce(0, +)).filter {
      age.isOver(at: start.advanced(by: .milliseconds($0)))
    }
    let expected = pauses.indices.map { pauses[...$0].reduce(0, +) }
    #expect(over == expected)
    age.sessionBegan()
    let isOverAtOnce = age.isOver(at: start)
    #expect(!isOverAtOnce, "a new session has no plans")
  }

  // MARK: Commits beside the owner's thread

  /// What commits came to, in the order in which they ended.
  private final class Ends: Sendable {
    let all = Observed<[SQLError?]>([])

    func add(_ error: SQLError?) { all.update { $0.append(error) } }
    func wait(for count: Int) async throws -> [SQLError?] {
      try await all.wait("commits") { $0.count == count }
    }
  }

  @Test("what is written during a commit is committed behind it, and what reads waits for it")
  func commitsBeside() async throws {
    let ends = Ends()
    try administrator.execute("BEGIN")
    try administrator.execute("LOCK TABLE t")
    for number in 1...3 as ClosedRange<Int64> {
      let begin = try connection.prepare("BEGIN")
      try begin.run()
      try insert(number)
      connection.commitBeside(ends.add)
    }
    #expect(ends.all.value.isEmpty, "none waited for the lock")
    try administrator.execute("COMMIT")
    #expect(try await ends.wait(for: 3) == [nil, nil, nil])
    #expect(try numbers("SELECT n FROM t ORDER BY n") == [1, 2, 3])

    // In one transaction, behind another one.
    try administrator.execute("BEGIN; LOCK TABLE t")
    let begin = try connection.prepare("BEGIN")
    try begin.run()
    try insert(4)
    connection.commitBeside(ends.add)
    try begin.run()
    try insert(5)
    try administrator.execute("COMMIT")
    #expect(try numbers("SELECT n FROM t ORDER BY n") == [1, 2, 3, 4, 5])
    try connection.execute("COMMIT")
    #expect(try numbers("SELECT count(*) FROM t") == [5])
  }

  @Test("a transaction behind one that fails is not committed, whatever it does")
  func failureBeside() async throws {
    try insert(7)
    let begin = try connection.prepare("BEGIN")
    for second in [{}, { _ = try numbers("SELECT n FROM t") }] {
      let ends = Ends()
      try administrator.execute("BEGIN; LOCK TABLE t")
      try begin.run()
      try insert(1)
      try insert(7)
      connection.commitBeside(ends.add)
      try begin.run()
      try insert(2)
      try administrator.execute("COMMIT")
      let early = failure(second)
      if let early {
        #expect(early.kind == .conflict)
      } else {
        connection.commitBeside(ends.add)
        let both = try await ends.wait(for: 2)
        #expect(both.map(\.?.kind) == [.statement, .conflict])
      }
      // A write is deferred for as long as the thread has not given the connection back.
      connection.claim()
      #expect(failure { try insert(3) }?.kind == .conflict, "nothing more until the rollback")
      connection.abandon()
      #expect(try numbers("SELECT n FROM t") == [7])
      try insert(4)
      try connection.execute("DELETE FROM t WHERE n = 4")
    }
  }

  private func lockingProfile() throws -> PostgresProfile {
    try connection.execute("CREATE TABLE commits (term BIGINT PRIMARY KEY, number BIGINT NOT NULL)")
    var profile = PostgresProfile.writer
    profile.sessionLock = 7
    return profile
  }

  private func lockHolders() throws -> [Int64] {
    try numbers(
      "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objid = 7 "
        + "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )
  }

  private func insert(_ number: Int64, _ connection: PostgresConnection) throws {
    try connection.execute("BEGIN")
    let insert = try connection.prepare("INSERT INTO t VALUES (?1)")
    insert.bind(number, at: 1)
    try insert.run()
    try connection.execute("COMMIT")
  }

  private func pid(of connection: PostgresConnection) throws -> Int64? {
    let select = try connection.prepare("SELECT pg_backend_pid()")
    defer { select.reset() }
    return try select.step() ? select.int64(0) : nil
  }

  @Test("a transaction whose connection is lost fails until it is rolled back, and leaves nothing")
  func inTransaction() throws {
    try connection.execute("BEGIN")
    try insert(1)
    let pid = try numbers("SELECT pg_backend_pid()")[0]
    try terminate(pid)
    #expect(failure { _ = try numbers("SELECT n FROM t") }?.kind == .disconnected)
    // Not on a new connection, outside of the transaction.
    #expect(failure { try insert(2) }?.kind == .disconnected)
    #expect(failure { try connection.execute("COMMIT") }?.kind == .disconnected)
    connection.abandon()
    try connection.execute("BEGIN")
    try insert(3)
    try connection.execute("COMMIT")
    #expect(try numbers("SELECT n FROM t") == [3])
  }

  @Test("the server looks whether its client is still there, and ends a session without one soon")
  func liveness() throws {
    let cluster = try PostgresCluster.shared()
    guard let folder = cluster.folder, let port = cluster.parameter("port") else { return }
    let password = try String(contentsOfFile: folder + "/password", encoding: .utf8)
    let address = "postgresql://tidings:\(password)@127.0.0.1:\(port)/\(cluster.name(of: uri))"
    let remote = PostgresConnection(try PostgresAddress(address))
    // Over TCP these are what the system does, not what was asked for.
    for (setting, value) in [
      ("tcp_keepalives_idle", "2"), ("tcp_keepalives_interval", "2"),
      ("tcp_keepalives_count", "3"), ("tcp_user_timeout", "8000"),
    ] {
      let show = try remote.prepare("SELECT setting FROM pg_settings WHERE name = ?1")
      show.bind(setting, at: 1)
      #expect(try show.step() && show.string(0) == value, "\(setting)")
    }
  }

  @Test("a commit that is lost on its way is reported as uncertain")
  func atCommit() throws {
    try connection.execute("BEGIN")
    try insert(1)
    try terminate(try numbers("SELECT pg_backend_pid()")[0])
    #expect(failure { try connection.execute("COMMIT") }?.kind == .uncertain)
    connection.abandon()
    #expect(try numbers("SELECT n FROM t") == [])
  }

  @Test(
    "a transaction in which the client does nothing is rolled back by the server, with its locks"
  )
  func idleTransaction() throws {
    var profile = PostgresProfile.writer
    profile.idleTransactionMilliseconds = 2_000
    let sleeper = PostgresConnection(try PostgresAddress(uri), profile: profile)
    try sleeper.execute("BEGIN")
    let lock = try sleeper.prepare("INSERT INTO t VALUES (7) RETURNING n")
    #expect(try lock.step())
    lock.reset()
    // Waits for the sleeper's lock.
    try insert(7)
    #expect(failure { try sleeper.execute("COMMIT") } != nil)
    sleeper.abandon()
    #expect(try numbers("SELECT n FROM t") == [7])
  }

  @Test("transactions that collide are to be run again")
  func conflicts() throws {
    try connection.execute("INSERT INTO t VALUES (1), (2)")
    let other = PostgresConnection(try PostgresAddress(uri))
    // Only administrators may set it; otherwise it takes a second.
    for session in [connection, other] { try? session.execute("SET deadlock_timeout = 20") }
    try connection.execute("BEGIN")
    _ = try numbers("SELECT n FROM t WHERE n = 1 FOR UPDATE")
    try other.execute("BEGIN")
    let lock = try other.prepare("SELECT n FROM t WHERE n = ?1 FOR UPDATE")
    lock.bind(2 as Int64, at: 1)
    #expect(try lock.step())
    let opposite = try connection.prepare("SELECT n FROM t WHERE n = 2 FOR UPDATE")
    let otherFailure = Observed<SQLError?>(nil)
    let done = DispatchSemaphore(value: 0)
    let isolated = Isolated(lock)
    Thread.detachNewThread {
      let lock = isolated.value
      lock.bind(1 as Int64, at: 1)
      do throws(SQLError) {
        _ = try lock.step()
      } catch {
        otherFailure.update { $0 = error }
      }
      done.signal()
    }
    let ownFailure = failure { _ = try opposite.step() }
    connection.abandon()
    done.wait()
    other.abandon()
    let failures = [ownFailure, otherFailure.value].compactMap { $0 }
    #expect(
      failures.count == 1 && failures.allSatisfy { $0.kind == .conflict && $0.state == "40P01" }
    )

    try connection.execute("BEGIN ISOLATION LEVEL SERIALIZABLE")
    try connection.execute("ROLLBACK")
  }

  /// Unchecked: one thread uses it at a time.
  private struct Isolated<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  @Test("an answer larger than the bound is refused, and the connection works on")
  func largeAnswer() throws {
    var profile = PostgresProfile.reader
    profile.answerBytesMax = 1 << 20
    let reader = PostgresConnection(try PostgresAddress(uri), profile: profile)
    let rows = try reader.prepare("SELECT repeat('x', 1000) FROM generate_series(1, ?1)")
    rows.bind(100 as Int64, at: 1)
    #expect(try rows.step())
    rows.bind(1_000_000 as Int64, at: 1)
    let error = failure { _ = try rows.step() }
    #expect(error?.kind == .statement && error?.message.contains("pages") == true)
    rows.bind(100 as Int64, at: 1)
    #expect(try rows.step())
  }

  @Test("columns of types that the dialect does not have are refused, not misread")
  func foreignTypes() throws {
    for sql in ["SELECT B'0101'", "SELECT now()", "SELECT ARRAY[1]", "SELECT '{}'::json"] {
      let error = failure { _ = try numbers(sql) }
      #expect(error?.kind == .statement && error?.message.contains("cast") == true)
    }
    #expect(try numbers("SELECT 2.9::float8") == [2])
    #expect(try numbers("SELECT -2.5::float4") == [-2])
    #expect(try numbers("SELECT 12345678901234567890.5::numeric") == [1 << 61])
    #expect(try numbers("SELECT 'NaN'::numeric") == [0])
  }

  @Test("writes are queued: one that fails is known at the latest with COMMIT")
  func queued() throws {
    try connection.execute("BEGIN")
    for number in 0..<100 as Range<Int64> { try insert(number) }
    #expect(try numbers("SELECT count(*) FROM t") == [100])
    for number in 0..<100 as Range<Int64> { try insert(number + 100) }
    // Queued, and not known to fail.
    try insert(5)
    let error = failure { try connection.execute("COMMIT") }
    #expect(error?.state == "23505")
    connection.abandon()
    #expect(try numbers("SELECT count(*) FROM t") == [0])
  }

  @Test("errors never contain values or passwords")
  func secrets() throws {
    try insert(4_711)
    let error = failure { try insert(4_711) }
    #expect(error.map { !"\($0)".contains("4711") } == true)
    let cluster = try PostgresCluster.shared()
    guard let port = cluster.parameter("port"), cluster.folder != nil else { return }
    let wrong = PostgresConnection(
      try PostgresAddress("postgresql://tidings:hunter2@127.0.0.1:\(port)/postgres")
    )
    let refused = failure { try wrong.connect() }
    #expect(refused?.kind == .disconnected || refused?.kind == .denied)
    #expect(refused.map { !"\($0)".contains("hunter2") && "\($0)".contains("password") } == true)
    let none = PostgresConnection(
      try PostgresAddress("postgresql://tidings@127.0.0.1:\(port)/postgres?passfile=/nowhere")
    )
    #expect(failure { try none.connect() }?.kind == .denied)
  }

  @Test(
    "after a crash of the server, what was acknowledged is there, and transactions are to be run again"
  )
  func crash() throws {
    let cluster = try PostgresCluster()
    guard cluster.folder != nil else { return }
    let connection = PostgresConnection(try cluster.makeDatabase())
    try connection.execute("CREATE TABLE t (n BIGINT PRIMARY KEY)")
    let insert = try connection.prepare("INSERT INTO t VALUES (?1)")
    for number in 0..<2 as Range<Int64> {
      try connection.execute("BEGIN")
      insert.bind(2 * number, at: 1)
      try insert.run()
      try connection.execute("COMMIT")
      try connection.execute("BEGIN")
      insert.bind(2 * number + 1, at: 1)
      try insert.run()
      let count = try connection.prepare("SELECT count(*) FROM t")
      #expect(try count.step())
      #expect(count.int64(0) == number + 2)
      try cluster.crash()
      count.reset()
      #expect(failure { _ = try count.step() }?.kind == .disconnected)
      connection.abandon()
    }
    let rows = try connection.prepare("SELECT n FROM t ORDER BY n")
    var found: [Int64] = []
    try rows.forEachRow { found.append(rows.int64(0)) }
    #expect(found == [0, 2])
  }

  @Test("the pauses between attempts to connect grow")
  func unreachable() throws {
    let nowhere = PostgresConnection(try PostgresAddress("postgresql://127.0.0.1:1/x"))
    #expect(nowhere.retryAfter == nil)
    let first = failure { try nowhere.connect() }
    #expect(first?.kind == .disconnected && first?.message.contains("refused") == true)
    #expect(nowhere.retryAfter != nil)
    #expect(failure { try nowhere.connect() }?.message.contains("next attempt") == true)
  }
}
#endif
