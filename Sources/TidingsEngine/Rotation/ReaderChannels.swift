internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

/// Moves the subscriptions of public databases when grants change: from the channel of all to channels
/// of their owners when not every user may read a type any more, and back when every user may.
///
/// The first ones move with the change, the others in pieces; until then they are not notified, since
/// channels fire only for what may be read at the time.
final class ReaderChannels: MaintenanceTask, TransactionParticipant {
  /// Most subscriptions and channels that are looked at with a change of grants.
  private static let firstPieceMax = 1_000
  private static let pieceMax = 200
  private static let pause = Duration.seconds(3_600)

  private let catalog: Catalog
  private let channels: ChannelRegistry
  private let subscriptions: SubscriptionTable
  private let accesses: PublicAccesses
  private let rotation: ChannelRotation
  private let codec: BodyCodec
  private let wakeUp: WakeUpFlag
  private let selectDatabases: any SQLStatement
  /// The channels to look at, the next one last; `nil`: not known.
  private var pending: [Int64]?
  private var changed: Set<ChangedSubscriber> = []
  private var retired: [[UInt8]] = []

  init(
    _ connection: any SQLConnection,
    catalog: Catalog,
    channels: ChannelRegistry,
    subscriptions: SubscriptionTable,
    accesses: PublicAccesses,
    rotation: ChannelRotation,
    codec: BodyCodec,
    wakeUp: WakeUpFlag
  ) throws {
    self.catalog = catalog
    self.channels = channels
    self.subscriptions = subscriptions
    self.accesses = accesses
    self.rotation = rotation
    self.codec = codec
    self.wakeUp = wakeUp
    selectDatabases = try connection.prepare("SELECT id FROM databases WHERE scope = ?1")
  }

  // MARK: Transactions

  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {
    guard !changed.isEmpty || !retired.isEmpty else { return }
    transaction.changedSubscribers.formUnion(changed)
    transaction.retiredTopics += retired
    (changed, retired) = ([], [])
  }

  func didRollback() {
    (changed, retired) = ([], [])
    wakeUp.raise()
  }

  /// Looks at everything again.
  func reload() { pending = nil }

  // MARK: Changes

  /// Grants of a container changed.
  func grantsChanged(in database: DatabaseID) throws {
    guard let entry = try existing(database) else { return }
    let numbers = channels.watched.numbers(in: entry)
    pending = Array(Set(pending ?? []).union(numbers)).sorted()
    try move(piece: Self.firstPieceMax)
    if pending?.isEmpty == false { wakeUp.raise() }
  }

  /// The database; `nil`: nothing was ever written to it, or the container was not deployed before.
  private func existing(_ database: DatabaseID) throws -> DatabaseEntry? {
    do {
      return try catalog.database(database)
    } catch let error as ItemError where error.code == .badContainer {
      return nil
    }
  }

  /// A user's roles changed: the user's own channels get new topics.
  func rolesChanged(of user: String) throws {
    for entry in channels.watched.channels(of: user) {
      try rotate(entry.number)
      note(user, try catalog.database(numbered: entry.databaseNumber).id)
    }
  }

  func work(at moment: Moment) throws -> Duration {
    if pending == nil { pending = try suspects() }
    try move(piece: Self.pieceMax)
    return pending?.isEmpty == false ? .zero : Self.pause
  }

  /// The channels that may be the wrong ones, after a start.
  private func suspects() throws -> [Int64] {
    var databases: [Int64] = []
    selectDatabases.bind(Int64(DatabaseScope.public.rawValue), at: 1)
    try selectDatabases.forEachRow { databases.append(selectDatabases.int64(0)) }
    return try databases.flatMap { number in
      let database = try catalog.database(numbered: number)
      let numbers = channels.watched.numbers(in: database)
      guard try accesses.isOpen(database.id) else { return numbers }
      return numbers.filter { channels.watched.reader(of: $0) != nil }
    }
  }

  // MARK: Moving

  private func move(piece: Int) throws {
    var left = piece
    while left > 0, let number = pending?.last {
      left -= 1
      guard let entry = channels.watched.entry(number), let isForAll = try isForAll(ifWrong: entry)
      else {
        pending?.removeLast()
        continue
      }
      try rotate(number)
      let members = try subscriptions.members(of: number, limit: max(left, 1))
      for member in members { try move(member, from: entry, isForAll: isForAll) }
      left -= members.count
      // The channel is empty now, or there are more.
      if channels.watched.entry(number) == nil || members.isEmpty { pending?.removeLast() }
    }
  }

  /// Whether a channel's subscriptions belong in a channel for all; `nil`: the channel is right.
  private func isForAll(ifWrong entry: ChannelEntry) throws -> Bool? {
    let content = try channels.content(of: entry)
    let type = content.definition.recordType
    let isForAll =
      type.isEmpty
      ? try accesses.isOpen(content.database.id)
      : try accesses.isOpen(type, in: content.database.id)
    return isForAll == (channels.watched.reader(of: entry.number) == nil) ? nil : isForAll
  }

  private func move(
    _ member: SubscriptionTable.Member,
    from entry: ChannelEntry,
    isForAll: Bool
  ) throws {
    let database = try catalog.database(numbered: entry.databaseNumber)
    let subscription = try member.row.body.withUnsafeBytes { try codec.decodeSubscription($0) }
    let channel = try channels.join(
      subscription,
      in: database,
      for: isForAll ? nil : member.owner
    )
    try subscriptions.end(member.row, at: channels.head(entry.number))
    try channels.leave(entry.number)
    try subscriptions.insert(
      member.subscriptionID,
      of: member.owner,
      in: database,
      channel: channel.number,
      since: channel.head,
      body: member.row.body,
      at: member.saved
    )
    note(member.owner, database.id)
  }

  private func rotate(_ channel: Int64) throws(SQLError) {
    if let old = try rotation.rotate(channel) { retired.append(old) }
  }

  private func note(_ user: String, _ database: DatabaseID) {
    changed.insert(
      ChangedSubscriber(
        user: user,
        container: database.container,
        environment: database.environment
      )
    )
  }
}
