internal import TestSupport
internal import TidingsSQL
internal import TidingsSQLite

#if PostgreSQL
internal import PostgresTestSupport
internal import TidingsPostgres
#endif

/// A driver, whose behavior all suites here describe.
enum Driver: String, CaseIterable {
  case sqlite
  case postgres
  /// Each statement waits for its end.
  case postgresWithoutPipelining

  /// Those whose server is installed.
  static var available: [Driver] {
    #if PostgreSQL
    if PostgresCluster.isAvailable { return allCases }
    print(
      "PostgreSQL is not installed (tools/install-dependencies --postgres): its driver is not tested"
    )
    #endif
    return [.sqlite]
  }

  /// Makes an empty database.
  func makeDatabase() throws -> TestDatabase {
    switch self {
    case .sqlite:
      let folder = try TemporaryFolder()
      return TestDatabase { readsOnly in
        try SQLiteConnection(path: folder.file("db"), readsOnly: readsOnly)
      }
    case .postgres, .postgresWithoutPipelining:
      #if PostgreSQL
      let address = try PostgresCluster.shared().makeDatabase()
      return TestDatabase { [isPipelined = self == .postgres] readsOnly in
        var profile = readsOnly ? PostgresProfile.reader : .writer
        profile.isPipelined = isPipelined
        // Tests wait for each other, on a busy machine also for long.
        profile.idleTransactionMilliseconds = nil
        return PostgresConnection(address, profile: profile)
      }
      #else
      throw SQLError(.denied, "built without PostgreSQL")
      #endif
    }
  }

  /// The type of a column of numbers, of bytes, and of text in the order of its bytes.
  var types: (integer: String, bytes: String, text: String) {
    switch self {
    case .sqlite: ("BIGINT", "BLOB", "TEXT")
    case .postgres, .postgresWithoutPipelining: ("BIGINT", "BYTEA", "TEXT COLLATE \"C\"")
    }
  }
}

/// A database of one test.
struct TestDatabase {
  private let open: (_ readsOnly: Bool) throws -> any SQLConnection

  init(_ open: @escaping (_ readsOnly: Bool) throws -> any SQLConnection) { self.open = open }

  func writer() throws -> any SQLConnection { try open(false) }
  func reader() throws -> any SQLConnection { try open(true) }
}

extension SQLConnection {
  /// The numbers in the first column of all rows.
  func numbers(_ sql: String) throws -> [Int64] {
    let statement = try prepare(sql)
    var numbers: [Int64] = []
    try statement.forEachRow { numbers.append(statement.int64(0)) }
    return numbers
  }

  /// The texts in the first column of all rows.
  func texts(_ sql: String) throws -> [String] {
    let statement = try prepare(sql)
    var texts: [String] = []
    try statement.forEachRow { texts.append(statement.string(0)) }
    return texts
  }
}
