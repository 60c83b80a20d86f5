internal import TidingsModel
internal import TidingsSQL

/// Gives new topics, and therefore new keys, to all channels of a user, when a key of the user or the user is
/// rejected: the old topics are not used any more.
///
/// Much is done at once, the rest in pieces, which a restart does not forget. The user's other devices,
/// and all subscribers of the same channels, are notified to register again.
final class UserRotation: TransactionParticipant {
  /// Who is refused from now on.
  enum End {
    case key(Int64)
    case user(String)
  }

  private typealias State = UserRotationProgress.State

  /// Subscriptions and channels that the call goes through which asks for it.
  private static let rowsAtOnce = 1_000
  private static let rowsPerPiece = 200
  /// Control topics that a device may still listen to, since several rotations may follow each other.
  private static let epochsMax: Int64 = 4
  private static let pause = Duration.seconds(3_600)

  private let rotation: ChannelRotation
  private let controlTopics: ControlTopics
  private let directory: AccountDirectory
  private let wakeUp: WakeUpFlag
  private let advanceEpoch: any SQLStatement
  private let progress: UserRotationProgress
  let notices: RotationNotices
  private let leases: OpenLeases
  private let selectSubscriptions: any SQLStatement
  private let selectOwn: any SQLStatement
  private let selectReader: any SQLStatement

  private var ended = EndedAccess()
  private var time = SteadyTime(milliseconds: 0)

  init(
    _ connection: any SQLConnection,
    rotation: ChannelRotation,
    controlTopics: ControlTopics,
    directory: AccountDirectory,
    wakeUp: WakeUpFlag
  ) throws {
    self.rotation = rotation
    self.controlTopics = controlTopics
    self.directory = directory
    self.wakeUp = wakeUp
    advanceEpoch = try connection.prepare(
      "UPDATE accounts SET control_epoch = control_epoch + 1 WHERE user = ?1"
    )
    progress = try UserRotationProgress(connection)
    notices = try RotationNotices(connection)
    leases = try OpenLeases(connection)
    selectSubscriptions = try connection.prepare(
      """
      SELECT s.container, s.environment, s.channel_id, d.owner = ?1 OR c.reader = ?1
      FROM subscriptions s JOIN databases d ON d.id = s.database_id
        JOIN channels c ON c.id = s.channel_id
      WHERE s.owner = ?1 AND (s.container, s.environment, s.channel_id) > (?2, ?3, ?4)
      ORDER BY s.container, s.environment, s.channel_id LIMIT ?5
      """
    )
    selectOwn = try connection.prepare(
      """
      SELECT d.container, d.environment, d.id, c.id FROM databases d
        JOIN channels c ON c.database_id = d.id
      WHERE d.owner = ?1 AND (d.id, c.id) > (?2, ?3) ORDER BY d.id, c.id LIMIT ?4
      """
    )
    selectReader = try connection.prepare(
      """
      SELECT id FROM channels
      WHERE reader = ?1 AND reader <> '' AND id > ?2 ORDER BY id LIMIT ?3
      """
    )
  }

  // MARK: Transactions

  func begin(at moment: Moment) { time = moment.steady }

  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {
    guard !ended.isEmpty else { return }
    transaction.endedAccess.add(ended)
    ended = EndedAccess()
  }

  func didRollback() { ended = EndedAccess() }

  // MARK: What ends

  /// Starts to replace the topics of a user's devices, in the open transaction.
  ///
  /// - Parameters:
  ///   - end: Who is refused.
  ///   - user: The user of the devices; empty: guests, who have no channels.
  /// - Returns: How many channels got new topics at once.
  /// - Throws: `SQLError`.
  @discardableResult
  func end(_ end: End, of user: String) throws -> Int {
    switch end {
    case .key(let number): ended.keys.insert(number)
    case .user(let name): ended.users.insert(name)
    }
    guard !user.isEmpty, let account = try directory.user(user) else { return 0 }
    directory.willChange()
    advanceEpoch.bind(user, at: 1)
    try advanceEpoch.run()
    directory.setControlEpoch(account.controlEpoch + 1, of: user)
    let isUsed = !account.isRestricted && !account.keys.isEmpty
    try progress.begin(
      State(
        user: user,
        epoch: account.controlEpoch,
        stage: isUsed ? .subscriptions : .leases
      )
    )
    wakeUp.raise()
    return try work(for: user, rowsMax: Self.rowsAtOnce)
  }

  /// A key expires at another time.
  func expiryChanged() { wakeUp.raise() }

  // MARK: Pieces

  /// Goes on with what is to be done for a user.
  ///
  /// - Returns: How many channels got new topics.
  private func work(for user: String, rowsMax: Int) throws -> Int {
    var rotatedCount = 0
    var rowsLeft = rowsMax
    while rowsLeft > 0, let state = try progress.next(from: user), state.user == user {
      let (rows, rotated) = try step(state, rowsMax: rowsLeft)
      rotatedCount += rotated
      // A stage that finds nothing is over: this comes to an end.
      rowsLeft -= rows
    }
    return rotatedCount
  }

  private func step(
    _ state: State,
    rowsMax: Int
  ) throws -> (rows: Int, rotated: Int) {
    switch state.stage {
    case .leases:
      let rows = try leases.end(of: state.user, max: rowsMax, at: time)
      if rows < rowsMax {
        try progress.save(State(user: state.user, epoch: 0, stage: .subscriptions))
      }
      return (rows, 0)
    case .subscriptions: return try rotateSubscribed(state, rowsMax: rowsMax)
    case .ownChannels: return try rotateOwn(state, rowsMax: rowsMax)
    case .readerChannels: return try rotateReader(state, rowsMax: rowsMax)
    }
  }

  private func rotateSubscribed(_ state: State, rowsMax: Int) throws -> (Int, Int) {
    var state = state
    var rows: [(container: String, environment: Int64, channel: Int64, isOwn: Bool)] = []
    selectSubscriptions.bind(state.user, at: 1)
    selectSubscriptions.bind(state.container, at: 2)
    selectSubscriptions.bind(state.environment, at: 3)
    selectSubscriptions.bind(state.number, at: 4)
    selectSubscriptions.bind(Int64(rowsMax), at: 5)
    try selectSubscriptions.forEachRow {
      rows.append(
        (
          selectSubscriptions.string(0), selectSubscriptions.int64(1),
          selectSubscriptions.int64(2), selectSubscriptions.int64(3) != 0
        )
      )
    }
    var rotatedCount = 0
    for row in rows {
      let isNew = (row.container, row.environment) != (state.container, state.environment)
      if isNew { try announce(state, row.container, row.environment) }
      let isSameChannel = !isNew && row.channel == state.number
      (state.container, state.environment, state.number) =
        (row.container, row.environment, row.channel)
      // Those with the user as the only reader come in the next stages.
      guard !row.isOwn, !isSameChannel else { continue }
      if try rotate(row.channel) {
        rotatedCount += 1
        notices.add(row.channel)
      }
    }
    if rows.count < rowsMax {
      state = State(user: state.user, epoch: state.epoch, stage: .ownChannels)
    }
    try progress.save(state)
    return (rows.count, rotatedCount)
  }

  private func rotateOwn(_ state: State, rowsMax: Int) throws -> (Int, Int) {
    var state = state
    var rows: [(container: String, environment: Int64, database: Int64, channel: Int64)] = []
    // Here the database's number takes the environment's place.
    selectOwn.bind(state.user, at: 1)
    selectOwn.bind(state.environment, at: 2)
    selectOwn.bind(state.number, at: 3)
    selectOwn.bind(Int64(rowsMax), at: 4)
    try selectOwn.forEachRow {
      rows.append(
        (
          selectOwn.string(0), selectOwn.int64(1), selectOwn.int64(2),
          selectOwn.int64(3)
        )
      )
    }
    var rotatedCount = 0
    for row in rows {
      if row.database != state.environment { try announce(state, row.container, row.environment) }
      (state.environment, state.number) = (row.database, row.channel)
      if try rotate(row.channel) { rotatedCount += 1 }
    }
    if rows.count < rowsMax {
      state = State(user: state.user, epoch: state.epoch, stage: .readerChannels)
    }
    try progress.save(state)
    return (rows.count, rotatedCount)
  }

  private func rotateReader(_ state: State, rowsMax: Int) throws -> (Int, Int) {
    var state = state
    var numbers: [Int64] = []
    selectReader.bind(state.user, at: 1)
    selectReader.bind(state.number, at: 2)
    selectReader.bind(Int64(rowsMax), at: 3)
    try selectReader.forEachRow { numbers.append(selectReader.int64(0)) }
    var rotatedCount = 0
    for number in numbers where try rotate(number) { rotatedCount += 1 }
    if let last = numbers.last, numbers.count == rowsMax {
      state.number = last
      try progress.save(state)
    } else {
      try progress.end(state.user)
    }
    return (numbers.count, rotatedCount)
  }

  private func rotate(_ channel: Int64) throws -> Bool {
    guard let old = try rotation.rotate(channel) else { return false }
    ended.retiredTopics.append(old)
    return true
  }

  /// The devices still listen to the old control topics, which send a last push.
  private func announce(_ state: State, _ container: String, _ number: Int64) throws {
    let environment = Environment(rawValue: Int32(truncatingIfNeeded: number)) ?? .development
    let current = try directory.controlEpoch(of: state.user)
    for epoch in max(state.epoch, current - Self.epochsMax)..<max(current, state.epoch) {
      let topic = try controlTopics.topic(
        of: state.user,
        container: container,
        environment: environment,
        userEpoch: epoch
      )
      ended.controlTopics.insert(topic)
      ended.retiredTopics.append(topic)
    }
  }

}

extension UserRotation: MaintenanceTask {
  func work(at moment: Moment) throws -> Duration {
    if notices.hasPending {
      try notices.work()
      return .zero
    }
    guard let state = try progress.next(from: "") else { return Self.pause }
    _ = try work(for: state.user, rowsMax: Self.rowsPerPiece)
    return .zero
  }
}
