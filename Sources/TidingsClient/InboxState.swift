internal import TidingsProto

/// Decides what a notification stream does: what it hears goes in, what is to be done comes out.
///
/// Pushes are hints. One that follows directly on what was seen is yielded as it is; everything else
/// (a gap, a beacon, a new connection) leads to the log. Numbers that were seen are never yielded
/// again.
struct InboxState {
  /// What is to be done next.
  enum Action: Equatable {
    /// Ask the server for the channels.
    case register
    /// Listen to these topics, and no longer to those.
    case listen(start: Set<[UInt8]>, stop: Set<[UInt8]>)
    /// Fetch the log after the token.
    case fetch
    /// Wait for the next event.
    case wait
  }

  /// What is ready: a notification to hand out, or the end of a page of them.
  private enum Entry {
    case notification(TidingsV1.Notification)
    case pageEnd(InboxProgress.PageEnd)
  }

  /// Where to continue in the log.
  private(set) var token: [UInt8]
  /// Where another stream can continue without missing or repeating what this one handed out.
  private(set) var progress: InboxProgress
  /// Oldest first.
  private var ready: [Entry] = []
  private var readyHead = 0

  private var channels: [[UInt8]: TidingsV1.Channel] = [:]
  /// All channels ever heard of: a page may still hold events of one that ended.
  private var channelIDs: Set<String> = []
  private var controlTopic: [UInt8] = []
  private var topics: Set<[UInt8]> = []
  private var listening: Set<[UInt8]> = []
  /// The newest number of each channel that was handed out, or passed over for good.
  private var seen: [String: UInt64] = [:]
  /// Numbers that were heard of and await a look at the log.
  private var heard: [String: UInt64] = [:]
  /// Read marks that are ready or were handed out, and that a page may repeat.
  private var seenReadMarks: Set<String> = []
  private var mustRegister = true
  private var mustFetch = false

  init(token: [UInt8]) { self.init(progress: InboxProgress(token: token)) }

  /// Continues where another stream stood.
  init(progress: InboxProgress) {
    self.progress = progress
    token = progress.token
    seen = progress.numbers
    seenReadMarks = progress.readMarks
  }

  /// Where another stream can continue without missing what this one has not handed out.
  var resumeToken: [UInt8] { progress.token }

  /// The next notification to hand out.
  mutating func popReady() -> TidingsV1.Notification? {
    guard readyHead < ready.count, case .notification(let notification) = ready[readyHead] else {
      return nil
    }
    readyHead += 1
    progress.handedOut(notification)
    passPageEnds()
    if progress.isFull { mustFetch = true }
    return notification
  }

  /// A page whose notifications were all handed out is done.
  private mutating func passPageEnds() {
    while readyHead < ready.count, case .pageEnd(let page) = ready[readyHead] {
      progress.ended(page)
      readyHead += 1
    }
    guard readyHead == ready.count else { return }
    ready.removeAll(keepingCapacity: true)
    readyHead = 0
  }

  /// What is to be done, when nothing is ready to hand out.
  var nextAction: Action {
    if mustRegister { return .register }
    if listening != topics {
      return .listen(start: topics.subtracting(listening), stop: listening.subtracting(topics))
    }
    return mustFetch ? .fetch : .wait
  }

  /// The server told the channels.
  mutating func registered(_ response: TidingsV1.RegisterDeviceResponse) {
    mustRegister = false
    controlTopic = response.controlTopic
    channels = Dictionary(response.channels.map { ($0.topic, $0) }) { a, _ in a }
    channelIDs.formUnion(response.channels.compactMap(\.position?.channelID))
    topics = Set(channels.keys).union([controlTopic])
    for case let position? in response.channels.map(\.position) { hear(position) }
    // The log tells what happened before the topics were listened to.
    mustFetch = true
  }

  /// The topics are listened to.
  mutating func listened() { listening = topics }

  /// A page of the log came.
  mutating func fetched(_ page: TidingsV1.FetchNotificationChangesResponse) {
    token = page.changeToken
    mustFetch = page.moreComing
    var end = InboxProgress.PageEnd(token: token, isLast: !page.moreComing)
    for notification in page.notifications {
      guard let position = notification.position else {
        let id = notification.notificationID
        guard seenReadMarks.insert(id).inserted else { continue }
        end.readMarks.insert(id)
        ready.append(.notification(notification))
        continue
      }
      // Of a subscription whose announcement was lost.
      if channelIDs.insert(position.channelID).inserted { mustRegister = true }
      guard position.sequenceNumber > seen[position.channelID] ?? 0 else { continue }
      seen[position.channelID] = position.sequenceNumber
      end.channels.insert(position.channelID)
      ready.append(.notification(notification))
    }
    ready.append(.pageEnd(end))
    passPageEnds()
    guard !page.moreComing else { return }
    // An event is in the log before anybody hears of it: what was heard before this fetch and is not
    // in its pages is not for this device, and pushes may follow on it.
    for (channel, number) in heard { seen[channel] = max(seen[channel] ?? 0, number) }
    heard = [:]
    seenReadMarks = []
  }

  /// There is a new connection, which listens to nothing yet.
  mutating func connectionReplaced() { listening = [] }

  /// Something was published that cannot be read: only the log knows what.
  mutating func mayHaveMissed() { mustFetch = true }

  /// A connection was made, pushes were lost, or time passed: the channels may have changed too.
  mutating func reconnected() {
    mustRegister = true
    mustFetch = true
  }

  /// Something was published.
  mutating func pushed(_ topic: [UInt8], _ push: TidingsV1.Push) {
    if topic == controlTopic {
      mustRegister = true
      return
    }
    guard let channel = channels[topic], let id = channel.position?.channelID else { return }
    let last = seen[id] ?? 0
    guard push.sequenceNumber > last else { return }
    let isMine = channel.originTag != 0 && push.originTag == channel.originTag
    let follows = !mustFetch && push.previousSequenceNumber == last
    switch push.content {
    case .notification(let notification) where follows && !isMine:
      hand(notification, of: channel, id)
    case .notification where follows, .sealedNotification where follows && isMine:
      seen[id] = push.sequenceNumber
    default:
      hear(.init(channelID: id, sequenceNumber: push.sequenceNumber))
      mustFetch = true
    }
  }

  private mutating func hand(
    _ notification: TidingsV1.Notification,
    of channel: TidingsV1.Channel,
    _ id: String
  ) {
    let number = notification.position?.sequenceNumber ?? 0
    var notification = notification
    notification.notificationID = "\(id)-\(number)"
    notification.subscriptionID = channel.subscriptionID
    seen[id] = number
    ready.append(.notification(notification))
  }

  private mutating func hear(_ position: TidingsV1.SubscriptionPosition) {
    heard[position.channelID] = max(heard[position.channelID] ?? 0, position.sequenceNumber)
  }
}
