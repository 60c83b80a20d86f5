/// Decides which events are published one by one, and which are merged because their topic has more
/// of them than anybody can take.
///
/// A topic may have so many pushes in a second, and a quarter of that at once. What goes beyond is
/// merged into one push with the newest number, as soon as the topic may have one again. Nothing gets
/// lost by that: a client that sees the newest number reads all from the log.
struct PushPacing {
  /// What becomes of an event.
  enum Decision: Hashable {
    /// It is published now; the event before it was, too.
    case publish
    /// It is published with others, later.
    case merge
  }

  /// Events of a topic that are published as one.
  struct Merged: Hashable {
    let topic: [UInt8]
    let channel: Int64
    /// The number that was published last.
    let previous: Int64
    /// The number of the newest event.
    var sequence: Int64
    /// When the first of them was committed, in nanoseconds of the monotonic clock.
    var committed: Int64 = 0
  }

  /// Topics that are watched at once.
  ///
  /// When more than these are busy, the others are not paced.
  private let topicsMax: Int

  private struct Entry {
    /// Up to when the pushes so far use the topic's share.
    var paidUntil: ContinuousClock.Instant
    var merged: Merged?
  }

  /// The share of time of one push.
  private let interval: Duration
  /// How far a topic may be ahead of its share: a burst.
  private let tolerance: Duration
  private var entries: [[UInt8]: Entry] = [:]
  private var timers = TimerHeap<[UInt8]>()
  private var swept: ContinuousClock.Instant?

  /// - Parameters:
  ///   - pushesPerSecondMax: Most pushes of one topic in a second, at least 1.
  ///   - topicsMax: Topics that are watched at once.
  init(pushesPerSecondMax: Int, topicsMax: Int) {
    self.topicsMax = topicsMax
    interval = .seconds(1) / max(1, pushesPerSecondMax)
    tolerance = interval * (max(1, pushesPerSecondMax / 4) - 1)
  }

  /// When the next look is due; `nil`: never.
  var next: ContinuousClock.Instant? { timers.next }

  /// Topics that are watched.
  var topicCount: Int { entries.count }

  /// An event is to be published.
  ///
  /// - Parameters:
  ///   - topic: Its channel's topic.
  ///   - channel: Its channel.
  ///   - sequence: Its number, one more than that of the event before.
  ///   - committed: When it was committed, in nanoseconds of the monotonic clock.
  ///   - now: The time.
  /// - Returns: What becomes of it.
  mutating func decide(
    _ topic: [UInt8],
    channel: Int64,
    sequence: Int64,
    committed: Int64 = 0,
    at now: ContinuousClock.Instant
  ) -> Decision {
    guard var entry = entries[topic] else {
      if hasRoom(at: now) { entries[topic] = Entry(paidUntil: now + interval) }
      return .publish
    }
    defer { entries[topic] = entry }
    if entry.merged != nil {
      entry.merged?.sequence = sequence
      return .merge
    }
    guard entry.paidUntil > now + tolerance else {
      entry.paidUntil = max(entry.paidUntil, now) + interval
      return .publish
    }
    entry.merged = Merged(
      topic: topic,
      channel: channel,
      previous: sequence - 1,
      sequence: sequence,
      committed: committed
    )
    timers.insert(topic, due: entry.paidUntil - tolerance)
    return .merge
  }

  /// Whether `takeDue` has something to look at.
  func isDue(at now: ContinuousClock.Instant) -> Bool { next.map { $0 <= now } ?? false }

  /// Returns merged pushes that are due, of at most so many timers.
  mutating func takeDue(at now: ContinuousClock.Instant, timersMax: Int = .max) -> [Merged] {
    var due: [Merged] = []
    var looked = 0
    while looked < timersMax, let topic = timers.popDue(at: now) {
      looked += 1
      // A timer may be left of a topic that was forgotten and came again.
      guard var entry = entries[topic], let merged = entry.merged,
        entry.paidUntil <= now + tolerance
      else { continue }
      due.append(merged)
      entry.merged = nil
      entry.paidUntil = max(entry.paidUntil, now) + interval
      entries[topic] = entry
    }
    return due
  }

  /// Nothing more is published on a topic.
  mutating func forget(_ topic: [UInt8]) { entries[topic] = nil }

  /// A topic that has its whole share again need not be remembered.
  private mutating func hasRoom(at now: ContinuousClock.Instant) -> Bool {
    guard entries.count >= topicsMax else { return true }
    if let swept, now < swept + tolerance + interval { return false }
    swept = now
    entries = entries.filter { $0.value.merged != nil || $0.value.paidUntil > now }
    return entries.count < topicsMax
  }
}
