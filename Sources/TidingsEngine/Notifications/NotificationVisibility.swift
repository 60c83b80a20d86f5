internal import TidingsCodec
internal import TidingsMemory
internal import TidingsModel
internal import TidingsSQL

/// Which of a channel's notifications a subscriber may see now.
///
/// In a public database the rights on the type decide when a notification is read, as they did when it
/// was made. An event about a zone names no record, and is visible to users who may read any record of the type.
final class NotificationVisibility: TransactionParticipant {
  /// What of a channel's notifications a subscriber may see.
  enum Visible: Hashable {
    case all
    /// Those of records that this user created.
    case createdBy(String)
    case none
  }

  /// What a channel of a public database watches; it never changes, once it is committed.
  private struct Watched {
    let database: DatabaseID
    let recordType: String
    let tellsOfRecords: Bool
  }

  /// Most channels of which it remembers what they watch.
  private let knownMax: Int

  private let codec: BodyCodec
  private let readable:
    (_ user: String, _ recordType: String, DatabaseID) throws
      -> TypeRights.Readable
  private let select: any SQLStatement
  /// Channels; `nil`: everything may be seen.
  private var known: [Int64: Watched?] = [:]

  /// - Parameters:
  ///   - connection: The store.
  ///   - codec: Reads definitions.
  ///   - memory: How much it may remember.
  ///   - readable: Which records of a type a user may read now, in a public database.
  /// - Throws: `SQLError`.
  init(
    _ connection: any SQLConnection,
    codec: BodyCodec,
    memory: MemoryShares,
    readable:
      @escaping (_ user: String, _ recordType: String, DatabaseID) throws -> TypeRights.Readable
  ) throws {
    self.codec = codec
    self.readable = readable
    knownMax = memory.count(of: .visibility)
    select = try connection.prepare(
      """
      SELECT d.container, d.environment, d.scope, c.definition
      FROM channels c JOIN databases d ON d.id = c.database_id WHERE c.id = ?1
      """
    )
  }

  /// What a user may see of a channel's notifications.
  func visible(_ channel: Int64, to user: String) throws -> Visible {
    guard let watched = try watched(channel) else { return .all }
    return switch try readable(user, watched.recordType, watched.database) {
    case .all: .all
    case .own: watched.tellsOfRecords ? .createdBy(user) : .all
    case .none: .none
    }
  }

  func reload() { known.removeAll(keepingCapacity: true) }

  private func watched(_ channel: Int64) throws -> Watched? {
    if let known = known[channel] { return known }
    let found = try read(channel)
    if known.count >= knownMax { known.removeAll() }
    known[channel] = .some(found)
    return found
  }

  private func read(_ channel: Int64) throws -> Watched? {
    select.bind(channel, at: 1)
    defer { select.reset() }
    guard try select.step(), select.int64(2) == Int64(DatabaseScope.public.rawValue),
      let environment = Environment(rawValue: Int32(truncatingIfNeeded: select.int64(1)))
    else { return nil }
    var definition: Subscription?
    try select.withBytes(3) { definition = try codec.decodeSubscription($0) }
    guard let definition, !definition.recordType.isEmpty else { return nil }
    return Watched(
      database: DatabaseID(
        container: select.string(0),
        environment: environment,
        scope: .public,
        owner: ""
      ),
      recordType: definition.recordType,
      tellsOfRecords: definition.kind == .query
    )
  }
}

extension NotificationVisibility.Visible {
  /// Whether a notification may be seen.
  ///
  /// - Parameter creator: Who created its record; empty: not known. Asked only if it matters.
  /// - Returns: Whether the subscriber may see it.
  func shows(creator: () -> String) -> Bool {
    switch self {
    case .all: true
    case .createdBy(let user): creator() == user
    case .none: false
    }
  }

  /// Only notifications of records that this user created may be seen; `nil`: no matter whose.
  var creator: String? {
    if case .createdBy(let user) = self { user } else { nil }
  }
}
