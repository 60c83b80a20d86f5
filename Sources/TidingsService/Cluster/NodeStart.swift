#if PostgreSQL
internal import TidingsEngine
internal import TidingsPostgres
internal import TidingsSQL
internal import TidingsThreads

/// Decides with which role a node begins.
struct NodeStart {
  /// The role.
  enum Role {
    /// It has the database.
    case leads(TakenDatabase)
    /// Another node has.
    case follows
  }

  /// How long it waits for a program that has the database and is no node.
  private static let patience = Duration.seconds(10)
  private static let pause = Duration.milliseconds(100)

  private let address: PostgresAddress
  private let setup: ServerSetup

  init(_ address: PostgresAddress, _ setup: ServerSetup) {
    (self.address, self.setup) = (address, setup)
  }

  /// Takes the database, or finds out that a node leads.
  ///
  /// - Throws: `StartError`.
  func role() throws -> Role {
    let end = ContinuousClock.now.advanced(by: Self.patience)
    let connection = PostgresConnection(address, profile: .reader)
    var newer: Int64?
    while ContinuousClock.now < end {
      // Whoever leads next needs the lock, which is not taken in vain.
      newer = try PostgresDatabase.newerFormat(connection, address)
      if newer == nil {
        switch try PostgresDatabase.take(
          address,
          assetsPath: setup.settings.assetsPath,
          for: setup.name,
          keys: setup.leaderKeys
        ) {
        case .taken(let database): return .leads(TakenDatabase(database))
        case .busy: break
        case .newerFormat(let format): newer = format
        }
      }
      if try PostgresDatabase.hasLeader(connection) {
        try PostgresDatabase.refuse(setup.leaderKeys, connection, address)
        return .follows
      }
      _ = Semaphore().wait(for: Self.pause)
    }
    if let newer {
      throw StartError(
        "cannot use the database \(address): a newer version has brought it to data format \(newer), this one knows "
          + "\(Migration.format), and no node of a newer version leads: start one, or restore a backup of the database "
          + "from before the upgrade"
      )
    }
    // With the name of the program that has it.
    return .leads(TakenDatabase(try address.open(assetsPath: setup.settings.assetsPath)))
  }
}
#endif
