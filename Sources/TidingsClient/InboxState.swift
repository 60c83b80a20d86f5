package import TidingsProto

/// Decides what a notification stream does: events go in, actions come out.
///
/// Pushes are hints. One that follows directly on what was seen is yielded as it is; everything else
/// (a gap, a beacon, one that was pruned or cannot be opened, a new connection) leads to the log.
/// Numbers that were seen are never yielded again.
package struct InboxState {
  /// What is to be done next.
  package enum Action: Equatable {
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
  package private(set) var token: [UInt8]
  /// Where another stream can continue without missing or repeating what this one handed out.
  package private(set) var progress: InboxProgress
  /// Oldest first.
  private var ready: [Entry] = []
  private var readyHead = 0

  private var channels: [[UInt8]: TidingsV1.Channel] = [:]
  /// All channels that were ever registered: a page may still have events of one that ended.
  private var channelIDs: Set<String> = []
  private var topics: Set<[UInt8]> = []
  private var listening: Set<[UInt8]> = []
  /// The newest number of each channel that was delivered, or skipped permanently.
  private var seen: [String: UInt64] = [:]
  /// Numbers that were received and wait for a read of the log.
  private var heard: [String: UInt64] = [:]
  private var control = Control()
  /// Topics whose pushes could not be opened with the keys from the server: asking again at once
  /// would not help.
  private var distrusted: Set<[UInt8]> = []
  private var mustRegister = true
  private var mustFetch = false

  /// What is known of the user's control topic.
  private struct Control {
    var topic: [UInt8] = []
    var key: [UInt8] = []
    var originTag: UInt64 = 0
    /// The newest read mark that was delivered, or skipped permanently.
    var seen: UInt64 = 0
    /// The newest that was received and waits for a read of the log.
    var heard: UInt64 = 0
    /// Marks that were handed out: they come from pushes and from the log.
    var ids = RecentIDs(countMax: 2 * InboxState.pushedMarksMax)
    /// How many came from pushes since the log was read last.
    var pushedCount = 0
  }

  /// Read marks that are taken from pushes at most before the log is read again.
  static let pushedMarksMax = 10_000

  /// Most channels, and most read marks, with deliveries after the token unless a consumer needs shorter
  /// positions; above it the log is read, which replaces them by a new token.
  package static let beyondMax = 256

  private let container: TidingsV1.DatabaseID?
  private let itemsBeyondMax: Int
  private let takesBadges: Bool

  /// A state that knows nothing yet but where to continue.
  ///
  /// - Parameters:
  ///   - token: Where to continue in the log; empty: at its beginning.
  ///   - container: What READ_NOTIFICATION from a push has as its database: the container alone.
  init(token: [UInt8], container: TidingsV1.DatabaseID? = nil) {
    self.init(progress: InboxProgress(token: token), container: container)
  }

  /// Continues where another stream stood.
  ///
  /// - Parameters:
  ///   - progress: Where it stood.
  ///   - container: What READ_NOTIFICATION from a push has as its database: the container alone.
  ///   - itemsBeyondMax: Most channels, and most read marks, in a position beside the token.
  ///   - takesBadges: What changes the badge comes from the log, which alone knows its value.
  package init(
    progress: InboxProgress,
    container: TidingsV1.DatabaseID? = nil,
    itemsBeyondMax: Int = Self.beyondMax,
    takesBadges: Bool = false
  ) {
    self.progress = progress
    self.container = container
    (self.itemsBeyondMax, self.takesBadges) = (itemsBeyondMax, takesBadges)
    token = progress.token
    seen = progress.numbers
    for id in progress.readMarks { _ = control.ids.insert(id) }
  }

  /// Where another stream can continue without missing what this one has not handed out.
  var resumeToken: [UInt8] { progress.token }

  /// The next notification to hand out.
  package mutating func popReady() -> TidingsV1.Notification? {
    guard readyHead < ready.count, case .notification(let notification) = ready[readyHead] else {
      return nil
    }
    readyHead += 1
    progress.handedOut(notification)
    passPageEnds()
    if progress.hasBeyond(itemsBeyondMax) { mustFetch = true }
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
  package var nextAction: Action {
    if mustRegister { return .register }
    if listening != topics {
      return .listen(start: topics.subtracting(listening), stop: listening.subtracting(topics))
    }
    return mustFetch ? .fetch : .wait
  }

  /// The server returned the channels.
  package mutating func registered(_ response: TidingsV1.RegisterDeviceResponse) {
    mustRegister = false
    let oldKeys = distrusted.isEmpty ? [:] : keys
    control.topic = response.controlTopic
    control.key = response.controlKey
    control.originTag = response.controlOriginTag
    control.heard = max(control.heard, response.readMarkNumber)
    channels = Dictionary(response.channels.map { ($0.topic, $0) }) { a, _ in a }
    channelIDs.formUnion(response.channels.compactMap(\.position?.channelID))
    topics = Set(channels.keys).union([control.topic])
    if !distrusted.isEmpty {
      let newKeys = keys
      distrusted = distrusted.filter { newKeys[$0] != nil && newKeys[$0] == oldKeys[$0] }
    }
    for case let position? in response.channels.map(\.position) { hear(position) }
    // The log contains what happened before the topics were listened to.
    mustFetch = true
  }

  /// The topics are listened to.
  package mutating func listened() { listening = topics }

  /// A page of the log came.
  package mutating func fetched(_ page: TidingsV1.FetchNotificationChangesResponse) {
    token = page.changeToken
    mustFetch = page.moreComing
    var end = InboxProgress.PageEnd(token: token, isLast: !page.moreComing)
    for notification in page.notifications {
      if notification.type == .readNotification {
        let id = notification.notificationID
        guard control.ids.insert(id) else { continue }
        end.readMarks.insert(id)
        ready.append(.notification(notification))
        continue
      }
      guard let position = notification.position else { continue }
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
    // An event is in the log before its number is published: what was received before this fetch and is not
    // in its pages is not for this device, and pushes may follow on it.
    for (channel, number) in heard { seen[channel] = max(seen[channel] ?? 0, number) }
    heard = [:]
    control.seen = max(control.seen, control.heard)
    control.pushedCount = 0
  }

  /// There is a new connection, which listens to nothing yet.
  mutating func connectionReplaced() { listening = [] }

  /// Something was published that cannot be read: only the log knows what.
  package mutating func mayHaveMissed() { mustFetch = true }

  /// A connection was made, pushes were lost, or time passed: the channels may have changed too.
  package mutating func reconnected() {
    mustRegister = true
    mustFetch = true
    distrusted = []
  }

  /// Something was published.
  package mutating func pushed(_ topic: [UInt8], _ push: TidingsV1.Push) {
    if topic == control.topic { return pushedControl(push) }
    guard let channel = channels[topic], let id = channel.position?.channelID else { return }
    let last = seen[id] ?? 0
    guard push.sequenceNumber > last else { return }
    guard !mustFetch, push.previousSequenceNumber == last, push.sequenceNumber == last + 1 else {
      return lookUp(push.sequenceNumber, id)
    }
    let isMine = channel.originTag != 0 && push.originTag == channel.originTag
    if isMine, push.content != nil {
      seen[id] = push.sequenceNumber
      return
    }
    switch PushContent(push, of: channel) {
    case .notification(let notification)
    where takesBadges && notification.notificationInfo?.shouldBadge == true:
      lookUp(push.sequenceNumber, id)
    case .notification(let notification): hand(notification, of: channel, id)
    case .unreadable:
      distrust(topic)
      lookUp(push.sequenceNumber, id)
    case .hint, .readMarks: lookUp(push.sequenceNumber, id)
    }
  }

  private mutating func pushedControl(_ push: TidingsV1.Push) {
    if case .workReleased? = push.content { return }
    if case .channelsChanged? = push.content {
      mustRegister = true
      return
    }
    guard push.sequenceNumber > control.seen else {
      // Something that only a newer client knows.
      if push.sequenceNumber == 0 { mustRegister = true }
      return
    }
    control.heard = max(control.heard, push.sequenceNumber)
    guard !mustFetch, !takesBadges, push.previousSequenceNumber == control.seen,
      control.pushedCount < Self.pushedMarksMax
    else {
      mustFetch = true
      return
    }
    let isMine = control.originTag != 0 && push.originTag == control.originTag
    if isMine, push.content != nil {
      control.seen = push.sequenceNumber
      return
    }
    switch PushContent(push, controlKey: control.key) {
    case .readMarks(let ids):
      control.seen = push.sequenceNumber
      hand(ids)
    case .unreadable:
      distrust(control.topic)
      mustFetch = true
    case .hint, .notification: mustFetch = true
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

  private mutating func hand(_ marks: [String]) {
    control.pushedCount += marks.count
    for id in marks where control.ids.insert(id) {
      let read = TidingsV1.Notification(
        notificationID: id,
        type: .readNotification,
        databaseID: container
      )
      ready.append(.notification(read))
    }
  }

  /// Only the log knows what a number stands for.
  private mutating func lookUp(_ number: UInt64, _ channelID: String) {
    hear(.init(channelID: channelID, sequenceNumber: number))
    mustFetch = true
  }

  /// A push on the topic cannot be opened: it may have a new key.
  ///
  /// Asks once, not for each push.
  private mutating func distrust(_ topic: [UInt8]) {
    if distrusted.insert(topic).inserted { mustRegister = true }
  }

  /// The keys of all topics.
  private var keys: [[UInt8]: [UInt8]] {
    var keys = channels.mapValues(\.key)
    keys[control.topic] = control.key
    return keys
  }

  private mutating func hear(_ position: TidingsV1.SubscriptionPosition) {
    heard[position.channelID] = max(heard[position.channelID] ?? 0, position.sequenceNumber)
  }
}
