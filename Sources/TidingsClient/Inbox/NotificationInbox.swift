internal import Synchronization
public import TidingsProto
public import TidingsRPC

/// A user's notifications, redelivered until they are committed.
///
///     let inbox = try client.notificationInbox(at: "app/inbox")
///     for try await item in inbox {
///       try await work(on: item.notification)
///       try await inbox.commit(upTo: item)
///     }
///
/// An iteration starts after the committed position: first with notifications in the log, then with new
/// ones. After a lost push, a lost connection or a restart of the server, the log is read. Notifications
/// of a channel are in the order of their numbers; those from the log are in the order of their commits.
///
/// Notifications that were not committed are redelivered after a crash; committed ones are not: each is
/// processed at least once. A consumer that stores `InboxNotification.position` in the transaction of its
/// work, and resumes there (`notificationInbox(from:)`), processes each exactly once.
///
/// The iteration only makes progress while its consumer waits: a slow consumer loses nothing and holds one
/// page in memory. It ends when the task is cancelled, when the inbox is closed, or with an error; a new
/// iteration starts after the committed position. There is one iteration at a time: a new one ends the
/// previous one.
public final class NotificationInbox: AsyncSequence, Sendable {
  /// A notification and the position after it.
  public typealias Element = InboxNotification
  /// Fails with errors that retrying does not fix.
  public typealias Failure = InboxError

  /// Changes to the state of the connection and of the position.
  public enum Event: Hashable, Sendable {
    /// The server has been unreachable for a second, for this reason, or is for another reason than before; connecting
    /// is retried with a backoff of up to 10 seconds.
    case lost(RPCError)
    /// There is a connection, but answers do not come in time; smaller ones are asked for until they do.
    case slow(RPCError)
    /// The server is reachable again, after this long; notifications since then are delivered now.
    case restored(after: Duration)
    /// The position had expired, and the inbox restarted at the oldest retained notification; only
    /// with `Options.restartsWhenExpired`.
    case restarted(InboxError)
  }

  /// What an inbox delivers, and when it restarts.
  public struct Options: Sendable {
    /// Whether to deliver READ_NOTIFICATION, when other devices of the user mark one as read.
    public var includesReadNotifications = true
    /// Whether to restart at the oldest retained notification if the position has expired, instead of
    /// failing; `Event.restarted` reports it.
    public var restartsWhenExpired = false
    /// Where an inbox without a position starts: the change token of a stream, or empty for the oldest
    /// retained notification.
    public var firstToken: [UInt8] = []
    /// Called with events of the connection, by the task that iterates; must not block.
    public var onEvent: (@Sendable (Event) -> Void)?

    /// The defaults.
    public init() {}
  }

  struct State {
    /// The committed position.
    var committed: InboxProgress
    /// How many notifications were delivered up to the committed one; never decreases.
    var committedCount: UInt64 = 0
    /// The position after the last delivered notification.
    var handedOut: InboxProgress
    var handedOutCount: UInt64 = 0
    /// The first count of the current iteration; lower counts belong to earlier ones.
    var iterationStart: UInt64 = 0
    var stop = StreamStop()
    var isClosed = false

    /// Starts an iteration after the committed position.
    mutating func begin() {
      handedOutCount += 1
      committedCount = handedOutCount
      iterationStart = handedOutCount
      handedOut = committed
    }

    /// Records the position of the stream.
    ///
    /// If all delivered notifications are committed, so is this position: notifications that are not for
    /// this device need no work, and a position that is not advanced would expire.
    mutating func passed(_ progress: InboxProgress) {
      handedOut = progress
      if committedCount == handedOutCount { committed = progress }
    }
  }

  let client: Client
  let options: Options
  let owner: InboxPosition.Owner
  let state: Mutex<State>
  private let keeper: PositionKeeper

  init(
    _ client: Client,
    from position: InboxPosition?,
    in file: PositionFile?,
    options: Options
  ) {
    self.client = client
    self.options = options
    owner = InboxPosition.Owner(client.configuration)
    let progress = position?.progress ?? InboxProgress(token: options.firstToken)
    state = Mutex(State(committed: progress, handedOut: progress))
    keeper = PositionKeeper(file)
  }

  /// The committed position, where the next iteration starts.
  public var committedPosition: InboxPosition {
    InboxPosition(owner: owner, progress: state.withLock(\.committed))
  }

  /// The position after the last delivered notification.
  public var position: InboxPosition {
    InboxPosition(owner: owner, progress: state.withLock(\.handedOut))
  }

  /// Starts an iteration after the committed position; ends an earlier one.
  public func makeAsyncIterator() -> AsyncIterator {
    let (start, progress, earlier) = state.withLock { state in
      let earlier = state.stop
      state.begin()
      return (state.iterationStart, state.committed, earlier)
    }
    let stop = StreamStop { [weak self] progress in self?.passedPage(progress, start) }
    earlier.refuse()
    let isCurrent = state.withLock { state in
      guard state.iterationStart == start, !state.isClosed else { return false }
      state.stop = stop
      return true
    }
    if !isCurrent { stop.refuse() }
    return AsyncIterator(self, start: start, from: progress, until: stop)
  }

  /// Commits all notifications up to this one, which are then not redelivered.
  ///
  /// With a position file, the commit is durable when this returns. Committing an earlier notification
  /// than before has no effect.
  ///
  /// - Throws: `staleNotification` if the notification is not of the current iteration;
  ///   `positionFileError`; `closed`.
  public func commit(upTo item: InboxNotification) async throws(InboxError) {
    guard item.position.owner == owner else { throw Self.foreign }
    try await commit(item.position.progress, count: item.count)
  }

  /// Commits all notifications that were delivered.
  public func commit() async throws(InboxError) {
    let (progress, count) = state.withLock { ($0.handedOut, $0.handedOutCount) }
    try await commit(progress, count: count)
  }

  /// Restarts at the oldest retained notification, for a position that has expired, or to process
  /// notifications again.
  ///
  /// Discards the committed position, also in the file, and ends the current iteration.
  public func restart() async throws(InboxError) {
    let progress = InboxProgress(token: [])
    let (count, earlier) = state.withLock { state in
      let earlier = state.stop
      state.committed = progress
      state.begin()
      return (state.handedOutCount, earlier)
    }
    await earlier.stop()
    try await keeper.keep(InboxPosition(owner: owner, progress: progress), count: count)
  }

  /// Ends the iteration and releases the file.
  ///
  /// Notifications that were delivered and not committed are redelivered to the next inbox. An iteration
  /// that waits for the server ends when that call does.
  public func close() async {
    let stop = state.withLock { state in
      state.isClosed = true
      return state.stop
    }
    await stop.stop()
    await keeper.close()
  }

  /// A page arrived, possibly without anything to deliver.
  private func passedPage(_ progress: InboxProgress, _ start: UInt64) {
    let count: UInt64? = state.withLock { state in
      guard state.iterationStart == start, !state.isClosed else { return nil }
      let committed = state.committed
      state.passed(progress)
      return state.committed == committed ? nil : state.committedCount
    }
    guard let count, keeper.hasFile else { return }
    // If this fails nothing is lost: the next commit writes, and reports it.
    Task { try? await keeper.keep(InboxPosition(owner: owner, progress: progress), count: count) }
  }

  private func commit(_ progress: InboxProgress, count: UInt64) async throws(InboxError) {
    let failure: InboxError? = state.withLock { state in
      if state.isClosed { return .closed }
      guard count >= state.iterationStart, count <= state.handedOutCount else {
        return Self.foreign
      }
      if count >= state.committedCount {
        state.committedCount = count
        state.committed = progress
      }
      return nil
    }
    if let failure { throw failure }
    try await keeper.keep(InboxPosition(owner: owner, progress: progress), count: count)
  }

  private static let foreign = InboxError.staleNotification(
    "the notification belongs to an earlier iteration of the inbox, or to another inbox: wait until it is "
      + "redelivered, then commit that one"
  )
}

/// A notification, and the position after it.
public struct InboxNotification: Sendable {
  /// The notification.
  public let notification: TidingsV1.Notification
  /// The position after this notification and all before it.
  public let position: InboxPosition
  /// How many notifications the inbox has delivered, including this one.
  let count: UInt64
}

/// Writes positions in sequence, none older than the previous one.
private actor PositionKeeper {
  nonisolated let hasFile: Bool
  private var file: PositionFile?
  private var isClosed = false
  private var count: UInt64 = 0
  private var kept: InboxPosition?

  init(_ file: PositionFile?) {
    self.file = file
    hasFile = file != nil
  }

  func keep(_ position: InboxPosition, count: UInt64) throws(InboxError) {
    if isClosed { throw .closed }
    guard let file, count >= self.count, position != kept else { return }
    try file.write(position)
    self.count = count
    kept = position
  }

  func close() {
    isClosed = true
    file = nil
  }
}
