internal import TidingsModel

/// What a caller may do with the records of a public database: what the types' grants say.
///
/// Kept between calls, and recreated when the grants or the caller's roles change.
final class PublicAccess: RecordAccess {
  let user: String
  private let schema: SchemaTable.Entry
  private let accounts: AccountDirectory
  private let grantsVersion: Int
  private var known: [String: TypeRights] = [:]

  init(user: String, _ schema: SchemaTable.Entry, _ accounts: AccountDirectory) {
    self.user = user
    self.schema = schema
    self.accounts = accounts
    grantsVersion = schema.grantsVersion
  }

  /// Whether it still says what this schema grants.
  func isCurrent(for schema: SchemaTable.Entry) -> Bool {
    self.schema === schema && grantsVersion == schema.grantsVersion
  }

  /// What the caller may do with records of a type.
  func rights(on recordType: String) throws -> TypeRights {
    if let rights = known[recordType] { return rights }
    let rights = try TypeRights(
      schema.stored.types[recordType]?.grants,
      of: recordType,
      isUser: !user.isEmpty
    ) { try accounts.has(user, role: $0, in: schema.container) }
    if known.count >= Self.typesKeptMax { known.removeAll(keepingCapacity: true) }
    known[recordType] = rights
    return rights
  }

  private static let typesKeptMax = 50

  func canRead(
    _ recordID: RecordID,
    of recordType: String,
    in zone: ZoneEntry,
    creator: () throws -> String
  ) throws -> Bool {
    try rights(on: recordType).mayRead { try isUser(creator()) }
  }

  func check(saving sent: Record, over old: Record?, in zone: ZoneEntry) throws {
    let name = sent.recordID.recordName
    if let old {
      let rights = try rights(on: old.recordType)
      let isCreator = isUser(old.creator)
      if rights.mayRead(isCreator: { isCreator }) {
        guard rights.mayWrite(isCreator: isCreator) else {
          throw ItemError.lacks("WRITE", on: old.recordType, "record '\(name)' cannot be changed")
        }
        return
      }
    }
    guard try rights(on: sent.recordType).mayCreate else {
      throw ItemError.lacks("CREATE", on: sent.recordType, "record '\(name)' cannot be created")
    }
    guard old == nil else {
      throw ItemError(
        .permissionFailure,
        "record '\(name)' cannot be saved under this name: use another one, or leave it empty for a "
          + "random one"
      )
    }
  }

  /// Whether the caller may change and delete a record.
  func mayChange(_ record: Record) throws -> Bool {
    try rights(on: record.recordType).mayWrite(isCreator: isUser(record.creator))
  }

  func check(deleting old: Record, in zone: ZoneEntry) throws -> Bool {
    let rights = try rights(on: old.recordType)
    let isCreator = isUser(old.creator)
    guard rights.mayRead(isCreator: { isCreator }) else { return false }
    guard rights.mayWrite(isCreator: isCreator) else {
      throw ItemError.lacks(
        "WRITE",
        on: old.recordType,
        "record '\(old.recordID.recordName)' cannot be deleted"
      )
    }
    return true
  }

  private func isUser(_ creator: String) -> Bool { !user.isEmpty && creator == user }
}

extension Record {
  /// The user who created it; empty: not known.
  var creator: String { created?.caller.user ?? "" }
}
