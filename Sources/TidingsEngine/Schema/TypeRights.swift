internal import TidingsModel

/// What a caller may do with the records of a type in the public database: the grants of the type,
/// added up for one caller.
struct TypeRights: Hashable {
  /// On any record of the type.
  let onAny: Schema.Rights
  /// On records that the caller created.
  let onOwn: Schema.Rights

  /// Adds up what a caller was granted.
  ///
  /// - Parameters:
  ///   - grants: The type's grants; `nil`: the schema does not have the type, which gets the defaults
  ///     with its first record.
  ///   - recordType: The type's name.
  ///   - isUser: The caller has an account. Who has none reads what anyone may read, and no more.
  ///   - has: Whether an administrator gave the caller a role of the schema; never asked about the
  ///     roles that every container has.
  init(
    _ grants: [String: Schema.Rights]?,
    of recordType: String,
    isUser: Bool,
    has: (_ role: String) throws -> Bool
  ) rethrows {
    let grants = Schema.effectiveGrants(grants, of: recordType)
    var sum = grants["_world"] ?? []
    guard isUser else {
      onAny = sum.intersection(.read)
      onOwn = []
      return
    }
    sum.formUnion(grants["_icloud"] ?? [])
    for (role, rights) in grants
    where !Schema.builtInRoles.contains(role) && !rights.isSubset(of: sum) {
      if try has(role) { sum.formUnion(rights) }
    }
    onAny = sum
    onOwn = sum.union(grants["_creator"] ?? [])
  }

  /// Whether every user may read all records of the type.
  static func isOpen(_ grants: [String: Schema.Rights]?, of recordType: String) -> Bool {
    TypeRights(grants, of: recordType, isUser: true) { _ in false }.readable == .all
  }

  /// Which records of a type a caller may read.
  enum Readable: Hashable {
    case all
    /// Those that the caller created.
    case own
    case none
  }

  /// Which records the caller may read.
  var readable: Readable {
    if onAny.contains(.read) { return .all }
    return onOwn.contains(.read) ? .own : .none
  }

  /// Whether the caller may create records.
  var mayCreate: Bool { onAny.contains(.create) }

  /// Whether the caller may read a record.
  ///
  /// - Parameter isCreator: Whether the caller created it; asked only if it matters.
  /// - Returns: Whether to the caller the record is there.
  func mayRead(isCreator: () throws -> Bool) rethrows -> Bool {
    switch readable {
    case .all: true
    case .own: try isCreator()
    case .none: false
    }
  }

  /// Whether the caller may change and delete a record; who may not read it may not.
  func mayWrite(isCreator: Bool) -> Bool {
    (isCreator ? onOwn : onAny).isSuperset(of: [.read, .write])
  }
}
