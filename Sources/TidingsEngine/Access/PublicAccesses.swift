internal import TidingsMemory
internal import TidingsModel
internal import TidingsSQL

/// The accesses of the callers of public databases, kept from call to call.
final class PublicAccesses {
  private struct Key: Hashable {
    let user: String
    let container: String
    let environment: Environment
  }

  /// Most accesses that are kept.
  private let accessesMax: Int

  private let schemas: SchemaTable
  private let accounts: AccountDirectory
  private var known: [Key: PublicAccess] = [:]
  /// The one that was used last: callers have more than one call.
  private var last: PublicAccess?

  init(schemas: SchemaTable, accounts: AccountDirectory, memory: MemoryShares) {
    (self.schemas, self.accounts) = (schemas, accounts)
    accessesMax = memory.count(of: .publicAccesses)
  }

  /// What a user may do in the public database of a container; an empty name: who has no account.
  func access(of user: String, in database: DatabaseID) throws -> PublicAccess {
    let schema = try schemas.entry(database.container, database.environment)
    if let last, last.user == user, last.isCurrent(for: schema) { return last }
    let key = Key(user: user, container: database.container, environment: database.environment)
    if let access = known[key], access.isCurrent(for: schema) {
      last = access
      return access
    }
    let access = PublicAccess(user: user, schema, accounts)
    if known.count >= accessesMax { known.removeAll(keepingCapacity: true) }
    known[key] = access
    last = access
    return access
  }

  /// Whether every user may read all records of a type.
  func isOpen(_ recordType: String, in database: DatabaseID) throws -> Bool {
    let schema = try schemas.entry(database.container, database.environment)
    return schema.isOpen(recordType)
  }

  /// Whether every user may read all records of all types.
  func isOpen(_ database: DatabaseID) throws -> Bool {
    try schemas.entry(database.container, database.environment).hasOnlyOpenTypes
  }

  /// Refuses a subscription to a type of which its owner may read no record.
  ///
  /// - Throws: `ItemError` `permissionFailure`; `SQLError`.
  func check(_ subscription: Subscription, of owner: String, in database: DatabaseID) throws {
    guard database.scope == .public, !subscription.recordType.isEmpty,
      try access(of: owner, in: database).rights(on: subscription.recordType).readable == .none
    else { return }
    throw ItemError.lacks(
      "READ",
      on: subscription.recordType,
      "subscription '\(subscription.subscriptionID)' cannot be saved"
    )
  }

  /// The only reader of the channel of a subscription, since not every user may read what it watches;
  /// `nil`: anyone may.
  func reader(
    of subscription: Subscription,
    for owner: String,
    in database: DatabaseID
  ) throws -> String? {
    guard database.scope == .public else { return nil }
    let isOpen =
      subscription.recordType.isEmpty
      ? try isOpen(database) : try isOpen(subscription.recordType, in: database)
    return isOpen ? nil : owner
  }

  /// Forgets what is in memory: the users' roles may have changed.
  func forget() {
    known.removeAll(keepingCapacity: true)
    last = nil
  }
}

extension PublicAccesses: TransactionParticipant {
  func reload() { forget() }
}
