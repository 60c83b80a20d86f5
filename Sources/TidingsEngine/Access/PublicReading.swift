internal import TidingsModel

/// Which records of a public database a caller may read, as of a reader's snapshot.
final class PublicReading {
  let user: String
  private let container: String
  private let schema: StoredSchema
  private let roles: RoleReader
  private var known: [String: TypeRights.Readable] = [:]

  init(user: String, container: String, _ schema: StoredSchema, _ roles: RoleReader) {
    self.user = user
    self.container = container
    self.schema = schema
    self.roles = roles
  }

  /// Which records of a type the caller may read.
  func readable(_ recordType: String) throws -> TypeRights.Readable {
    if let known = known[recordType] { return known }
    let readable = try TypeRights(
      schema.types[recordType]?.grants,
      of: recordType,
      isUser: !user.isEmpty
    ) { try roles.has(user, role: $0, in: container) }.readable
    known[recordType] = readable
    return readable
  }

  /// Whether the caller may read a record.
  ///
  /// - Parameters:
  ///   - recordType: Its type.
  ///   - creator: The user who created it, empty if nobody knows; asked only if it matters.
  /// - Returns: Whether to the caller the record is there.
  /// - Throws: `SQLError`; what `creator` throws.
  func mayRead(_ recordType: String, creator: () throws -> String) throws -> Bool {
    switch try readable(recordType) {
    case .all: true
    case .own: try !user.isEmpty && creator() == user
    case .none: false
    }
  }

  /// Whether the caller finds a record without naming it, as in a feed.
  ///
  /// Those of other users are found by name only: nobody lists users.
  func mayList(_ recordType: String, creator: () throws -> String) throws -> Bool {
    guard recordType == UserRecord.recordType else {
      return try mayRead(recordType, creator: creator)
    }
    return try !user.isEmpty && creator() == user
  }

  /// Refuses who may read no record of a type.
  ///
  /// - Throws: `ItemError` `permissionFailure`, or `notAuthenticated` for who has no account;
  ///   `SQLError`.
  func check(_ recordType: String, _ what: String) throws -> TypeRights.Readable {
    let readable = try readable(recordType)
    guard readable == .none else { return readable }
    guard !user.isEmpty else { throw ItemError.anonymousLacksRead(on: recordType) }
    throw ItemError.lacks("READ", on: recordType, what)
  }
}
