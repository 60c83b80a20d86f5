internal import TidingsModel

/// What a public database must show to whom, in plain words: grants, roles and creators, and nothing
/// that the engine knows.
struct PublicModel {
  struct Stored: Hashable {
    var type: String
    var creator: String
    var value: Int64
    /// The number of its last change.
    var changed: Int
    var isDeleted = false
  }

  struct Notified: Hashable {
    var subscription: String
    var story: String
    /// Empty: of all types.
    var type: String
    /// `nil`: it reports no record.
    var creator: String?
  }

  struct Watching: Hashable {
    var isQuery: Bool
    var type: String
  }

  static let defaults: [String: Set<String>] = [
    "_world": ["READ"], "_icloud": ["CREATE"], "_creator": ["WRITE"],
  ]

  /// By type and role.
  var grants: [String: [String: Set<String>]] = [:]
  /// By user.
  var roles: [String: Set<String>] = [:]
  var records: [String: Stored] = [:]
  var changes = 0
  /// By user and name.
  var subscriptions: [String: [String: Watching]] = [:]
  /// By user, oldest first.
  var notified: [String: [Notified]] = [:]

  private func holds(_ right: String, _ user: String, _ type: String, isCreator: Bool) -> Bool {
    for (role, rights) in grants[type] ?? Self.defaults where rights.contains(right) {
      switch role {
      case "_world" where right == "READ" || !user.isEmpty: return true
      case "_icloud" where !user.isEmpty: return true
      case "_creator" where !user.isEmpty && isCreator: return true
      case let name where !name.hasPrefix("_") && roles[user]?.contains(name) == true:
        if !user.isEmpty { return true }
      default: break
      }
    }
    return false
  }

  func mayRead(_ user: String, _ type: String, by creator: String) -> Bool {
    holds("READ", user, type, isCreator: user == creator)
  }

  func mayReadSome(_ user: String, _ type: String) -> Bool {
    holds("READ", user, type, isCreator: true)
  }

  func mayWrite(_ user: String, _ type: String, by creator: String) -> Bool {
    mayRead(user, type, by: creator) && holds("WRITE", user, type, isCreator: user == creator)
  }

  func mayCreate(_ user: String, _ type: String) -> Bool {
    holds("CREATE", user, type, isCreator: false)
  }

  /// The record that a user sees under a name.
  func seen(_ name: String, by user: String) -> Stored? {
    guard let record = records[name], !record.isDeleted,
      mayRead(user, record.type, by: record.creator)
    else { return nil }
    return record
  }

  // MARK: Changes

  /// - Returns: Why the save fails; `nil`: it is done.
  mutating func save(
    _ name: String,
    _ type: String,
    _ value: Int64,
    by user: String
  )
    -> ItemError.Code?
  {
    let old = records[name].flatMap { $0.isDeleted ? nil : $0 }
    if let seen = seen(name, by: user) {
      guard mayWrite(user, seen.type, by: seen.creator) else { return .permissionFailure }
      guard seen.type == type else { return .invalidArguments }
    } else {
      guard mayCreate(user, type), old == nil else { return .permissionFailure }
    }
    changes += 1
    let new = Stored(type: type, creator: old?.creator ?? user, value: value, changed: changes)
    records[name] = new
    if old?.value != value { notify(old == nil ? "created" : "updated", name, new) }
    if grants[type] == nil { grants[type] = Self.defaults }
    return nil
  }

  /// - Returns: Why the deletion fails; `nil`: it is done, or there is nothing to be done.
  mutating func delete(_ name: String, by user: String) -> ItemError.Code? {
    guard var record = seen(name, by: user) else { return nil }
    guard mayWrite(user, record.type, by: record.creator) else { return .permissionFailure }
    changes += 1
    record.isDeleted = true
    record.changed = changes
    records[name] = record
    notify("deleted", name, record)
    return nil
  }

  private mutating func notify(_ what: String, _ name: String, _ record: Stored) {
    for (user, watching) in subscriptions {
      for (id, watched) in watching
      where (watched.type.isEmpty || watched.type == record.type)
        && mayRead(user, record.type, by: record.creator)
      {
        notified[user, default: []].append(
          Notified(
            subscription: id,
            story: watched.isQuery ? "\(what) \(name)" : "database",
            type: watched.type,
            creator: watched.isQuery ? record.creator : nil
          )
        )
      }
    }
  }

  /// The notifications that a user sees now; those of one change in any order.
  func inbox(of user: String) -> [Notified] {
    (notified[user] ?? []).filter { event in
      guard !event.type.isEmpty else { return true }
      guard let creator = event.creator else { return mayReadSome(user, event.type) }
      return mayRead(user, event.type, by: creator)
    }
  }

  // MARK: Feeds

  /// What a feed shows after a change, or from the beginning.
  func changes(after last: Int?, for user: String) -> (saved: [String], deleted: [String]) {
    let changed = records.filter { $0.value.changed > last ?? 0 }
      .filter { mayRead(user, $0.value.type, by: $0.value.creator) }
      .sorted { $0.value.changed < $1.value.changed }
    return (
      changed.filter { !$0.value.isDeleted }.map(\.key),
      last == nil ? [] : changed.filter(\.value.isDeleted).map(\.key)
    )
  }
}
