internal import Testing

@testable internal import TidingsPostgres

@Suite struct DialectTests {
  private func translated(_ sql: String) -> [String] { Dialect.statements(sql).map(\.sql) }

  @Test(
    "words and literals of the shared dialect become PostgreSQL's",
    arguments: [
      ("SELECT a FROM t WHERE b = ?12", "SELECT a FROM t WHERE b = $12"),
      ("VALUES (x'0aFF', X'')", #"VALUES ('\x0aFF'::bytea, '\x'::bytea)"#),
      ("SELECT user, a.user FROM t", #"SELECT "user", a."user" FROM t"#),
      (
        "SELECT max(a, b), max(a), MIN (a, f(b, c))",
        "SELECT greatest(a, b), max(a), least (a, f(b, c))"
      ),
      ("SELECT max(f(a, b))", "SELECT max(f(a, b))"),
      ("SELECT 'user ?1 x''00''', \"user\"", "SELECT 'user ?1 x''00''', \"user\""),
      (
        "SELECT a -- user ?1\n/* ?2 ; user */ FROM max",
        "SELECT a -- user ?1\n/* ?2 ; user */ FROM max"
      ),
      ("SELECT users, xuser, x1 FROM a1", "SELECT users, xuser, x1 FROM a1"),
      ("BEGIN IMMEDIATE", "BEGIN "),
      ("FROM a CROSS JOIN b ON b.n = a.n", "FROM a  JOIN b ON b.n = a.n"),
      ("FROM a CROSS JOIN b", "FROM a CROSS JOIN b"),
      ("SELECT immediate", "SELECT immediate"),
      ("SELECT 'é', ?1", "SELECT 'é', $1"),
      ("SELECT 'open", "SELECT 'open"),
    ]
  )
  func words(sql: String, expected: String) { #expect(translated(sql) == [expected]) }

  @Test("statements are separated, and empty ones are ignored")
  func separation() {
    #expect(translated("A; B 'x;y' ;\n-- end;\n ;") == ["A", " B 'x;y' "])
    #expect(translated(" ; ").isEmpty)
    #expect(Dialect.statements("?2 ?1 ?2 ?4")[0].parameters == [1, 2, 4])
  }

  @Test(
    "statements that change the transaction are recognized",
    arguments: [
      ("BEGIN", .begin), ("begin immediate", .begin), (" /* a */ COMMIT", .commit),
      ("ROLLBACK", .rollback), ("ROLLBACK TO a", .rollbackToSavepoint),
      ("rollback to savepoint a", .rollbackToSavepoint), ("SAVEPOINT a", .savepoint),
      ("RELEASE a", .release), ("SELECT 1", nil), ("UPDATE begin SET a = 1", nil), ("", nil),
    ] as [(String, TransactionControl?)]
  )
  func control(sql: String, expected: TransactionControl?) {
    #expect(TransactionControl(sql) == expected)
  }
}
