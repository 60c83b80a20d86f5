internal import TidingsSQL

/// The roles of users, as of a reader's snapshot.
final class RoleReader {
  private let select: any SQLStatement
  private var known: [String: Set<String>] = [:]

  init(_ connection: any SQLConnection) throws {
    select = try connection.prepare("SELECT role FROM account_roles WHERE user = ?1")
  }

  /// Whether a user has a role of a container's schema.
  func has(_ user: String, role: String, in container: String) throws -> Bool {
    let roles = try roles(of: user)
    return roles.contains(role) || roles.contains(container + "/" + role)
  }

  /// Whether a user may change the schema of a container.
  func isDeveloper(_ user: String, of container: String) throws -> Bool {
    try has(user, role: AccountDirectory.developerRole, in: container)
      || roles(of: user).contains(AccountDirectory.administratorRole)
  }

  private func roles(of user: String) throws -> Set<String> {
    if let known = known[user] { return known }
    var found: Set<String> = []
    select.bind(user, at: 1)
    try select.forEachRow { found.insert(select.string(0)) }
    known[user] = found
    return found
  }

  /// Another snapshot begins.
  func forget() { known.removeAll(keepingCapacity: true) }
}
