internal import TidingsKeys
internal import TidingsModel

@testable internal import TidingsEngine

/// What accounts are to be, in the simplest form.
struct AccountModel: Equatable {
  struct Key: Equatable {
    var user: String
    var expires: Int64?
    var isRevoked = false
  }

  struct User: Equatable {
    var displayName = ""
    var isRestricted = false
    var roles: Set<String> = []
  }

  var users: [String: User] = [:]
  var keys: [PublicKey: Key] = [:]

  /// Keys that are neither revoked nor expired.
  func isUsable(_ key: Key, at now: Int64) -> Bool {
    !key.isRevoked && key.expires.map { $0 > now } ?? true
  }

  /// Until when somebody can administer, 0: nobody can.
  func administrationEnd(at now: Int64) -> Int64 {
    let ends = keys.values.map { key -> Int64 in
      guard isUsable(key, at: now), let user = users[key.user] else { return 0 }
      return user.roles.contains("admin") && !user.isRestricted ? key.expires ?? .max : 0
    }
    return ends.max() ?? 0
  }

  /// What a change is answered with; `nil`: it is done.
  mutating func apply(_ change: AccountStep, at now: Int64, _ limits: Limits) -> ItemError.Code? {
    var next = self
    if let code = next.change(change, at: now, limits) { return code }
    let removes: Bool =
      switch change {
      case .restrict(_, true), .assign, .revoke, .authorize: true
      default: false
      }
    let (old, new) = (administrationEnd(at: now), next.administrationEnd(at: now))
    if removes, old == .max ? new < .max : old > 0 && new == 0 { return .serverRejectedRequest }
    self = next
    return nil
  }

  private mutating func change(
    _ change: AccountStep,
    at now: Int64,
    _ limits: Limits
  ) -> ItemError.Code? {
    switch change {
    case .create(let name, let roles, let key):
      if users[name] != nil { return .serverRejectedRequest }
      if users.count >= limits.usersMax { return .limitExceeded }
      if let key, keys[key] != nil { return .serverRejectedRequest }
      users[name] = User(displayName: "\(name)!", roles: roles)
      if let key { keys[key] = Key(user: name) }
    case .restrict(let name, let isRestricted):
      if users[name] == nil { return .unknownItem }
      users[name]?.isRestricted = isRestricted
    case .assign(let name, let roles):
      if users[name] == nil { return .unknownItem }
      users[name]?.roles = roles
    case .authorize(let name, let key, let expires):
      if !name.isEmpty, users[name] == nil { return .unknownItem }
      if let expires, expires <= now { return .invalidArguments }
      if let known = keys[key] {
        if known.isRevoked || known.user != name { return .serverRejectedRequest }
      } else {
        let max = name.isEmpty ? limits.guestKeysMax : limits.keysPerUserMax
        if keys.values.filter({ $0.user == name && !$0.isRevoked }).count >= max {
          return .limitExceeded
        }
      }
      keys[key] = Key(user: name, expires: expires)
    case .revoke(let key):
      if keys[key] == nil { return .unknownItem }
      keys[key]?.isRevoked = true
    }
    return nil
  }
}

/// One change.
enum AccountStep {
  case create(String, Set<String>, PublicKey?)
  case restrict(String, Bool)
  case assign(String, Set<String>)
  case authorize(String, PublicKey, expires: Int64?)
  case revoke(PublicKey)

  /// A change, valid or not.
  static func random(
    users: [String],
    keys: [PublicKey],
    now: Int64,
    using random: inout some RandomNumberGenerator
  ) -> Self {
    func pick<T>(_ items: [T]) -> T { items[Int.random(in: 0..<items.count, using: &random)] }
    let allRoles = ["admin", "admin", "developer", "editor", "default/editor"]
    let roles = Set((0..<Int.random(in: 0...2, using: &random)).map { _ in pick(allRoles) })
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1: return .create(pick(users), roles, Bool.random(using: &random) ? pick(keys) : nil)
    case 2: return .restrict(pick(users), true)
    case 3: return .restrict(pick(users), false)
    case 4, 5: return .assign(pick(users), roles)
    case 6, 7, 8:
      let expires = pick([nil, nil, now + 5_000, now + 60_000, now - 1, now])
      return .authorize(pick(users + [""]), pick(keys), expires: expires)
    default: return .revoke(pick(keys))
    }
  }

  /// Does it.
  func perform(on engine: Engine) throws {
    switch self {
    case .create(let name, let roles, let key):
      _ = try engine.createUser(
        AccountRequest(
          name,
          displayName: "\(name)!",
          roles: Array(roles),
          key: key.map { KeyRequest($0) }
        )
      )
    case .restrict(let name, let isRestricted):
      _ = try engine.updateUser(name, AccountChange(isRestricted: isRestricted))
    case .assign(let name, let roles): _ = try engine.assignRoles(Array(roles), to: name)
    case .authorize(let name, let key, let expires):
      _ = try engine.authorizeKey(
        KeyRequest(key, expires: expires.map { Timestamp(millisecondsSince1970: $0) }),
        of: name
      )
    case .revoke(let key): _ = try engine.revokeKey(key)
    }
  }
}
