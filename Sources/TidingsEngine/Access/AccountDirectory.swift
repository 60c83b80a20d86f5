internal import TidingsModel
internal import TidingsSQL

/// The users that were created, with their roles: what permissions rest on.
final class AccountDirectory {
  private let selectRoles: any SQLStatement
  private var roles: [String: Set<String>] = [:]

  init(_ connection: any SQLConnection) throws {
    selectRoles = try connection.prepare("SELECT role FROM account_roles WHERE user = ?1")
  }

  /// The roles that an administrator gave a user, for example `admin`, `editor`,
  /// `iCloud.com.example.houses/editor`.
  func roles(of user: String) throws -> Set<String> {
    guard !user.isEmpty else { return [] }
    if let known = roles[user] { return known }
    var found: Set<String> = []
    selectRoles.bind(user, at: 1)
    try selectRoles.forEachRow { found.insert(selectRoles.string(0)) }
    if roles.count >= Self.usersKeptMax { roles.removeAll(keepingCapacity: true) }
    roles[user] = found
    return found
  }

  /// Whether a user has a role of a container's schema.
  func has(_ user: String, role: String, in container: String) throws -> Bool {
    let roles = try roles(of: user)
    return roles.contains(role) || roles.contains(container + "/" + role)
  }

  /// Forgets what is in memory: it may have changed.
  func forget() { roles.removeAll(keepingCapacity: true) }

  private static let usersKeptMax = 10_000
}
