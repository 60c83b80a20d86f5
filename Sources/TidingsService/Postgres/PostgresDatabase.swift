internal import TidingsEngine
internal import TidingsPostgres
internal import TidingsSQL

extension PostgresAddress {
  /// Opens the database for this process alone, after a look whether it is fit.
  ///
  /// - Parameter assetsPath: A folder for the content of assets; `nil`: it is in the database.
  /// - Returns: The database.
  /// - Throws: `StartError`, also in a build without libpq.
  func open(assetsPath: String? = nil) throws(StartError) -> any OpenDatabase {
    #if PostgreSQL
    let database = try PostgresDatabase(self, assetsPath: assetsPath)
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
  /// Reads what the calls of a group are going to read.
  let reading: PostgresConnection
  private let assetsPath: String?
  /// Of a node that leads.
  private(set) var pulse: LeaderPulse?
  let assetContents: (any AssetContents)?

  var connection: any SQLConnection { postgres }
  var readingAhead: (any SQLConnection)? { reading }
  var auditStorage: any AuditStorage {
    AuditDatabase(
      connections: { [address] in PostgresConnection(address) },
      readers: PostgresReaders(address: address)
    )
  }

  /// The advisory lock of the program that uses a database, and the one of a node that leads.
  private static let lock: Int64 = 0x7469_6469_6e67_7302
  private static let leaderMark: Int64 = 0x7469_6469_6e67_7303

  /// Connects, and checks that the database is fit.
  ///
  /// - Parameters:
  ///   - address: Its address.
  ///   - assetsPath: A folder for the content of assets; `nil`: it is in the database.
  /// - Throws: `StartError`.
  init(_ address: PostgresAddress, assetsPath: String? = nil) throws(StartError) {
    var profile = PostgresProfile.writer
    profile.sessionLock = Self.lock
    try self.init(address, PostgresConnection(address, profile: profile), assetsPath)
  }

  /// Takes the database for a node that leads, at once.
  ///
  /// - Parameters:
  ///   - address: Its address.
  ///   - assetsPath: A folder for the content of assets; `nil`: it is in the database.
  ///   - name: The name of the node.
  ///   - keys: Its keys, which must be those of the nodes before.
  /// - Returns: The database, or why not.
  /// - Throws: `StartError`.
  static func take(
    _ address: PostgresAddress,
    assetsPath: String?,
    for name: String,
    keys: LeaderKeys
  ) throws(StartError) -> Taking {
    var profile = PostgresProfile.writer
    profile.sessionLock = Self.lock
    profile.sessionMark = Self.leaderMark
    profile.lockPatience = .zero
    let postgres = PostgresConnection(address, profile: profile)
    do throws(SQLError) {
      try postgres.connect()
    } catch {
      guard error.kind != .busy else { return .busy }
      throw StartError("cannot use the database \(address): \(error)")
    }
    if let newer = try newerFormat(postgres, address) { return .newerFormat(newer) }
    try refuse(keys, postgres, address)
    var database = try PostgresDatabase(address, postgres, assetsPath)
    try database.refuseUnfinishedCopy()
    do throws(SQLError) {
      database.pulse = try LeaderRow.announce(name, postgres).map { LeaderPulse(address, term: $0) }
    } catch {
      throw StartError("cannot use the database \(address): \(error)")
    }
    return .taken(database)
  }

  /// What became of taking a database.
  enum Taking {
    /// This process has it.
    case taken(PostgresDatabase)
    /// Another program has it.
    case busy
    /// A newer version has brought it to this data format, and it was left as it is.
    case newerFormat(Int64)
  }

  /// The data format of a database, if this program does not know it.
  ///
  /// - Throws: `StartError`.
  static func newerFormat(
    _ connection: PostgresConnection,
    _ address: PostgresAddress
  ) throws(StartError) -> Int64? {
    do throws(SQLError) {
      let format = try connection.dataFormat() ?? 0
      return format > Migration.format ? format : nil
    } catch {
      throw StartError("cannot use the database \(address): \(error)")
    }
  }

  /// Refuses a node with a server key that the others do not have.
  ///
  /// - Throws: `StartError`.
  static func refuse(
    _ keys: LeaderKeys,
    _ connection: PostgresConnection,
    _ address: PostgresAddress
  ) throws(StartError) {
    let refusal: String?
    do throws(SQLError) {
      refusal = try keys.refusal(connection)
    } catch {
      throw StartError("cannot use the database \(address): \(error)")
    }
    if let refusal { throw StartError("cannot use the database \(address): \(refusal)") }
  }

  /// Whether a node leads at the moment.
  ///
  /// - Throws: `SQLError`.
  static func hasLeader(_ connection: PostgresConnection) throws(SQLError) -> Bool {
    try connection.hasHolder(of: leaderMark)
  }

  /// Ends the session of the node that leads, unless it is a new one, of a node that has just taken over.
  ///
  /// - Throws: `SQLError`.
  static func endLeader(_ connection: PostgresConnection) throws(SQLError) {
    try connection.terminateHolders(of: leaderMark, olderThan: LeaderObservation.silenceMax)
  }

  private init(
    _ address: PostgresAddress,
    _ postgres: PostgresConnection,
    _ assetsPath: String?
  ) throws(StartError) {
    (self.address, self.postgres, self.assetsPath) = (address, postgres, assetsPath)
    reading = PostgresConnection(address, profile: .readerAhead)
    var problems: [String]
    var contents: AssetContentTable?
    do throws(SQLError) {
      problems = try postgres.facts().problems
      if assetsPath == nil { contents = try AssetContentTable(postgres) }
    } catch {
      problems = ["\(error)"]
    }
    assetContents = contents
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
    PostgresStore(
      postgres,
      readingAhead: reading,
      at: address,
      assetsPath: assetsPath,
      pulse: pulse,
      for: server
    )
  }
}
#endif
