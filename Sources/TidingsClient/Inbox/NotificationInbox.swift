internal import Synchronization
public import TidingsProto
public import TidingsRPC

/// A user's notifications, each until its work is committed.
///
///     let inbox = try client.notificationInbox(at: "app/inbox")
///     for try await item in inbox {
///       try await work(on: item.notification)
///       try await inbox.commit(upTo: item)
///     }
///
/// An iteration begins after what was committed: first what waits in the log, then what comes. A lost
/// push, a lost connection and a restarted server are made up for from the log. Within a channel the
/// order is that of the numbers; what comes from the log has the order in which it was committed there.
///
/// What was not committed comes again after a crash, what was committed does not: each notification is
/// worked on at least once. A consumer that stores `InboxNotification.position` in the transaction of
/// its work, and begins there (`notificationInbox(from:)`), works on each exactly once.
///
/// The iteration works only while its consumer waits: a slow one loses nothing, holds one page in
/// memory, and hinders nobody. It ends when the task is cancelled, when the inbox is closed, or with an
/// error; iterating again begins after what was committed. One iteration at a time: a new one ends the
/// one before.
public final class NotificationInbox: AsyncSequence, Sendable {
  /// A notification and the place after it.
  public typealias Element = InboxNotification
  /// Fails with errors that retrying does not fix.
  public typealias Failure = InboxError

  /// What becomes of the connection, and of the position, while an inbox goes on.
  public enum Event: Hashable, Sendable {
    /// The server cannot be reached, for this reason; it is tried again, with pauses that grow to 10
    /// seconds, until it can.
    case lost(RPCError)
    /// It is there again, after this long; nothing was missed: what came meanwhile is handed out now.
    case restored(after: Duration)
    /// The position had expired and the inbox began with the oldest notification that is kept; only
    /// with `Options.restartsWhenExpired`.
    case restarted(InboxError)
  }

  /// What an inbox delivers, and when it restarts.
  public struct Options: Sendable {
    /// Hands out READ_NOTIFICATION too, for what other devices of the user marked read.
    public var includesReadNotifications = true
    /// Begins with the oldest notification that is kept when the position has expired, instead of
    /// failing; `Event.restarted` reports it.
    public var restartsWhenExpired = false
    /// Where an inbox without a position begins: the change token of a stream, or empty for the oldest
    /// notification that is kept.
    public var firstToken: [UInt8] = []
    /// Called with events of the connection, by the task that iterates; must not wait.
    public var onEvent: (@Sendable (Event) -> Void)?

    /// The defaults.
    public init() {}
  }

  struct State {
    /// What is committed.
    var committed: InboxProgress
    /// How many notifications were handed out when what is committed was; never falls.
    var committedCount: UInt64 = 0
    /// What is handed out.
    var handedOut: InboxProgress
    var handedOutCount: UInt64 = 0
    /// The first count of the iteration at hand: earlier ones are over.
    var iterationStart: UInt64 = 0
    var stop = StreamStop()
    var isClosed = false

    /// An iteration begins after what is committed.
    mutating func begin() {
      handedOutCount += 1
      committedCount = handedOutCount
      iterationStart = handedOutCount
      handedOut = committed
    }

    /// The stream stands here now.
    ///
    /// When all that it yielded is committed, this is too: what a page holds that is not for this device
    /// needs no work, and a position that stays behind would expire.
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

  /// What is committed: where the next iteration begins.
  public var committedPosition: InboxPosition {
    InboxPosition(owner: owner, progress: state.withLock(\.committed))
  }

  /// The place after all that was handed out.
  public var position: InboxPosition {
    InboxPosition(owner: owner, progress: state.withLock(\.handedOut))
  }

  /// Begins an iteration after what is committed; an earlier one ends.
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

  /// Notifications up to this one are done: they do not come again.
  ///
  /// With a file, it is on the disk when this returns. Committing an earlier one than before changes
  /// nothing.
  ///
  /// - Throws: `staleNotification` when the notification is not of the iteration at hand; `positionFileError`;
  ///   `closed`.
  public func commit(upTo item: InboxNotification) async throws(InboxError) {
    guard item.position.owner == owner else { throw Self.foreign }
    try await commit(item.position.progress, count: item.count)
  }

  /// All that was handed out is done.
  public func commit() async throws(InboxError) {
    let (progress, count) = state.withLock { ($0.handedOut, $0.handedOutCount) }
    try await commit(progress, count: count)
  }

  /// Begins with the oldest notification that is kept, when the position has expired or what was done
  /// is to be done again.
  ///
  /// What is committed is forgotten, in the file too; the iteration at hand ends.
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

  /// Ends the iteration and gives the file free.
  ///
  /// What was handed out and not committed comes again to the next inbox. An iteration that waits for
  /// the server ends when that call does.
  public func close() async {
    let stop = state.withLock { state in
      state.isClosed = true
      return state.stop
    }
    await stop.stop()
    await keeper.close()
  }

  /// A page came, perhaps without anything to hand out.
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
    "the notification is not from the current iteration of this inbox: it was delivered before the inbox "
      + "restarted, and comes again"
  )
}

/// A notification, and the place after it.
public struct InboxNotification: Sendable {
  /// The notification.
  public let notification: TidingsV1.Notification
  /// The place after it: an inbox that begins here has handed out this one and all before it.
  public let position: InboxPosition
  /// How many its inbox has handed out, this one included.
  let count: UInt64
}

/// Writes positions one after the other, none older than the last.
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
