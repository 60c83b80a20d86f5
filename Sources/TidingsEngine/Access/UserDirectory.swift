internal import TidingsModel
internal import TidingsSQL

/// Whom users may find: those who published themselves in a container, and whom they know by name.
final class UserDirectory {
  private let table: DirectoryTable
  private let accounts: AccountDirectory
  private let catalog: Catalog
  private let limits: Limits

  init(
    _ table: DirectoryTable,
    accounts: AccountDirectory,
    catalog: Catalog,
    limits: Limits
  ) {
    (self.table, self.accounts, self.catalog, self.limits) = (table, accounts, catalog, limits)
  }

  /// Publishes a user, or removes the user.
  func update(
    _ entry: DirectoryEntry?,
    of user: String,
    in container: String,
    _ environment: Environment
  ) throws -> DirectoryEntry? {
    try catalog.requireNoReset(of: container, environment)
    guard let entry = try entry?.normalized() else {
      try table.remove(user, from: container, environment)
      return nil
    }
    try catalog.requireDeployed(container, environment)
    if let email = entry.emailAddress {
      try checkIsFree(
        .emailAddress(email),
        "e-mail address '\(email)'",
        user,
        container,
        environment
      )
    }
    if let phone = entry.phoneNumber {
      try checkIsFree(.phoneNumber(phone), "phone number '\(phone)'", user, container, environment)
    }
    let max = limits.containersPerUserMax
    guard try table.containerCount(of: user, besides: container) < max else {
      throw ItemError(
        .limitExceeded,
        "user '\(user)' is in the directories of \(max) containers, as many as there may be: leave one of them, or "
          + "let an operator raise --limit containers-per-user-max"
      )
    }
    try table.write(entry, of: user, in: container, environment)
    return entry
  }

  /// What a user published.
  func entry(
    of user: String,
    in container: String,
    _ environment: Environment
  ) throws -> DirectoryEntry? {
    try table.entry(.userRecordName(user), in: container, environment)?.entry
  }

  /// Looks up a user for a caller.
  func find(
    _ lookup: UserLookup,
    for caller: String,
    in container: String,
    _ environment: Environment
  ) throws -> VisibleUser {
    let key: UserLookup =
      switch lookup {
      case .userRecordName(let name): .userRecordName(try Self.existing(name))
      case .emailAddress(let text): .emailAddress(try DirectoryGrammar.emailAddress(text))
      case .phoneNumber(let text): .phoneNumber(try DirectoryGrammar.phoneNumber(text))
      }
    if let found = try table.entry(key, in: container, environment),
      let user = try published(found.user, found.entry)
    {
      return user
    }
    switch lookup {
    case .userRecordName(let name): return try known(name, to: caller)
    case .emailAddress(let text): throw Self.unpublished("e-mail address", text)
    case .phoneNumber(let text): throw Self.unpublished("phone number", text)
    }
  }

  /// Published users after a name, sorted; at most `limit`.
  func page(
    of container: String,
    _ environment: Environment,
    after name: String,
    limit: Int
  ) throws -> (users: [VisibleUser], moreComing: Bool) {
    try Identifier.check(pageAfter: name)
    let rows = try table.page(of: container, environment, after: name, limit: limit + 1)
    return (
      try rows.prefix(limit).compactMap { try published($0.user, $0.entry) },
      rows.count > limit
    )
  }

  /// A user of the directory; `nil`: an administrator restricted the user.
  private func published(_ user: String, _ entry: DirectoryEntry) throws -> VisibleUser? {
    let account = try accounts.user(user)
    guard account?.isRestricted != true else { return nil }
    return VisibleUser(
      name: user,
      displayName: entry.displayName.isEmpty ? account?.displayName ?? "" : entry.displayName,
      isDiscoverable: true
    )
  }

  /// A name that a user can have.
  private static func existing(_ name: String) throws(ItemError) -> String {
    guard Identifier.problem(inUserName: name) == nil else { throw unknown(name) }
    return name
  }

  private static func unknown(_ name: String) -> ItemError {
    ItemError(.unknownItem, "the user \(Identifier.shown(name)) does not exist")
  }

  /// A user who is not in the directory.
  private func known(_ name: String, to caller: String) throws -> VisibleUser {
    let account = try accounts.user(name)
    guard account != nil || name == caller else { throw Self.unknown(name) }
    let maySeeName = try name == caller || table.haveCommonShare(caller, name)
    return VisibleUser(
      name: name,
      displayName: maySeeName ? account?.displayName ?? "" : "",
      isDiscoverable: false
    )
  }

  private func checkIsFree(
    _ key: UserLookup,
    _ what: String,
    _ user: String,
    _ container: String,
    _ environment: Environment
  ) throws {
    guard let holder = try table.entry(key, in: container, environment), holder.user != user
    else { return }
    throw ItemError(
      .serverRejectedRequest,
      "another user published the \(what): publish another one"
    )
  }

  private static func unpublished(_ what: String, _ text: String) -> ItemError {
    ItemError(.unknownItem, "no user published the \(what) \(Identifier.shown(text))")
  }
}
