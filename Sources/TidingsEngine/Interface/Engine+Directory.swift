public import TidingsModel

extension Engine {
  /// Publishes a user in the directory of a container, or removes the user.
  ///
  /// - Parameters:
  ///   - entry: What is published from now on; `nil`: nothing.
  ///   - user: The user.
  ///   - container: The container.
  ///   - environment: The environment; each has its own directory.
  /// - Returns: What is stored.
  /// - Throws: `ItemError` `invalidArguments`; `serverRejectedRequest` for an address or a number of another user;
  ///   `limitExceeded`, `badContainer`, `zoneBusy`; `SQLError`.
  public func updateDirectory(
    _ entry: DirectoryEntry?,
    of user: String,
    in container: String,
    _ environment: Environment
  ) throws -> DirectoryEntry? {
    try access.directory.update(entry, of: user, in: container, environment)
  }

  /// What a user published; `nil`: the user is not in the directory.
  public func directoryEntry(
    of user: String,
    in container: String,
    _ environment: Environment
  ) throws -> DirectoryEntry? {
    try access.directory.entry(of: user, in: container, environment)
  }

  /// Looks up a user for a caller.
  ///
  /// - Throws: `ItemError` `unknownItem`; `invalidArguments` for an address or a number that is not valid; `SQLError`.
  public func findUser(
    _ lookup: UserLookup,
    for caller: String,
    in container: String,
    _ environment: Environment
  ) throws -> VisibleUser {
    try access.directory.find(lookup, for: caller, in: container, environment)
  }

  /// The users of a directory after a name, sorted; at most `limit`, without those who are restricted.
  public func directoryPage(
    of container: String,
    _ environment: Environment,
    after name: String,
    limit: Int
  ) throws -> (users: [VisibleUser], moreComing: Bool) {
    try access.directory.page(of: container, environment, after: name, limit: limit)
  }
}
