internal import TidingsModel

extension Catalog {
  /// The database, created if needed, for a call of a user.
  ///
  /// What is stored first in a container makes it one of the user's: the user's private database is
  /// there too from then on, and counts.
  ///
  /// - Throws: `ItemError` `badContainer`, and `limitExceeded` for a container too many; `SQLError`.
  func makeDatabase(_ id: DatabaseID, by user: String) throws -> DatabaseEntry {
    let planned = try plannedDatabase(id, by: user)
    try make(planned, by: user)
    return planned
  }

  /// The database, or what `make` would write.
  ///
  /// - Throws: What `makeDatabase` throws, and nothing is written.
  func plannedDatabase(_ id: DatabaseID, by user: String) throws -> DatabaseEntry {
    if let known = try database(id) { return known }
    if let own = id.ownDatabase(of: user), try database(own) == nil {
      try checkContainers(of: own)
    }
    try checkContainers(of: id)
    return try plannedDatabase(id)
  }

  /// Writes a database that was planned, unless it is stored.
  func make(_ planned: DatabaseEntry, by user: String) throws {
    guard planned.number == 0 else { return }
    if let own = planned.id.ownDatabase(of: user) { _ = try makeDatabase(own) }
    _ = try insert(planned)
  }

  /// Writes a zone that was planned, and its database, unless they are stored.
  func make(_ planned: ZoneEntry, by user: String) throws {
    guard planned.number == 0 else { return }
    try make(planned.database, by: user)
    _ = try insert(planned)
  }

  /// Something is about to be stored for a user in a container.
  ///
  /// - Throws: `ItemError` `badContainer`, and `limitExceeded` for a container too many; `SQLError`.
  func enter(_ container: String, _ environment: Environment, _ user: String) throws {
    _ = try makeDatabase(
      DatabaseID(container: container, environment: environment, scope: .private, owner: user)
    )
  }

  /// Refuses a user's container beyond the bound.
  func checkContainers(of id: DatabaseID) throws {
    guard !id.owner.isEmpty else { return }
    let (count, isKnown) = try containers(of: id.owner, with: id.container)
    guard !isKnown, count >= containersPerUserMax else { return }
    throw ItemError(
      .limitExceeded,
      "user '\(id.owner)' has databases in \(count) containers and may have "
        + "\(containersPerUserMax): use one of them instead of '\(id.container)', or let an operator "
        + "raise --limit containers-per-user-max"
    )
  }
}

extension DatabaseID {
  /// The private database that a user has in the container, where this one is not the user's.
  fileprivate func ownDatabase(of user: String) -> DatabaseID? {
    guard !user.isEmpty, user != owner else { return nil }
    return DatabaseID(container: container, environment: environment, scope: .private, owner: user)
  }
}
