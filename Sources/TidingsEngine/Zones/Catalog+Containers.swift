internal import TidingsModel

extension Catalog {
  /// The database, created if needed, for a call of a user.
  ///
  /// What is stored first in a container makes it one of the user's: the user's private database is
  /// there too from then on, and counts.
  ///
  /// - Throws: `ItemError` `badContainer`, and `limitExceeded` for a container too many; `SQLError`.
  func makeDatabase(_ id: DatabaseID, by user: String) throws -> DatabaseEntry {
    if let known = try database(id) { return known }
    if !user.isEmpty, user != id.owner { try enter(id.container, id.environment, user) }
    return try makeDatabase(id)
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
