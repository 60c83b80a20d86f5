internal import TidingsPostgres
internal import TidingsSQL

extension PostgresAddress {
  /// Opens the database for this process alone, after a look whether it is fit.
  ///
  /// - Throws: `StartError`, also in a build without libpq.
  func open() throws(StartError) -> any OpenDatabase {
    #if PostgreSQL
    let database = try PostgresDatabase(self)
    try database.refuseUnfinishedCopy()
    return database
    #else
    throw Self.unsupported(self)
    #endif
  }

  #if !PostgreSQL
  /// What to say of a database in a build without libpq.
  static func unsupported(_ address: PostgresAddress) -> StartError {
    StartError(
      "cannot use the database \(address): this rpcd was built without PostgreSQL; build it without "
        + "--disable-default-traits"
    )
  }
  #endif
}

#if PostgreSQL
/// The open database of a PostgreSQL server, which no other rpcd uses.
struct PostgresDatabase: OpenDatabase {
  let address: PostgresAddress
  let postgres: PostgresConnection

  var connection: any SQLConnection { postgres }

  /// The advisory lock of the rpcd that uses a database.
  private static let lock: Int64 = 0x7469_6469_6e67_7302

  /// Connects, and checks that the database is fit.
  ///
  /// - Throws: `StartError`.
  init(_ address: PostgresAddress) throws(StartError) {
    self.address = address
    var profile = PostgresProfile.writer
    profile.sessionLock = Self.lock
    postgres = PostgresConnection(address, profile: profile)
    let problems: [String]
    do throws(SQLError) {
      problems = try postgres.facts().problems
    } catch {
      problems = ["\(error)"]
    }
    guard problems.isEmpty else {
      throw StartError("cannot use the database \(address): " + problems.joined(separator: "; "))
    }
  }

  /// Refuses a database into which a store was not copied to the end.
  ///
  /// - Throws: `StartError`.
  func refuseUnfinishedCopy() throws(StartError) {
    let tables: [SQLTable]
    do throws(SQLError) {
      tables = try postgres.tables()
    } catch {
      throw StartError("cannot use the database \(address): \(error)")
    }
    try UnfinishedCopy.refuse(tables, database: "\(address)")
  }

  func makeStore(for server: StoreUser) -> any Store {
    PostgresStore(postgres, at: address, for: server)
  }
}
#endif
