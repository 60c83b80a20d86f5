/// When to repeat a channel's newest number, so that a subscriber that lost its last push notices.
///
/// After a channel's last event the number is repeated twice, 1 s and 5 s later. A channel that goes
/// on publishing needs no beacon: its next push has the number.
struct BeaconSchedule {
  /// A number to repeat.
  struct Beacon: Hashable {
    let topic: [UInt8]
    let sequence: Int64
  }

  /// Times after a channel's last event.
  static let delays: [Duration] = [.seconds(1), .seconds(5)]
  /// Channels that are remembered at once; more go without beacons, and their subscribers notice a
  /// loss with the next push or the regular look at the log.
  private let channelsMax: Int

  private struct Entry {
    var sequence: Int64
    var published: ContinuousClock.Instant
    var sent = 0
    /// When its timer goes off; what is left of an earlier timer is ignored.
    var due: ContinuousClock.Instant
  }

  private var entries: [[UInt8]: Entry] = [:]
  private var timers = TimerHeap<[UInt8]>()

  /// Remembers so many channels at once.
  init(channelsMax: Int) { self.channelsMax = channelsMax }

  /// When the next look is due; `nil`: never.
  var next: ContinuousClock.Instant? { timers.next }

  /// An event was published.
  mutating func published(_ topic: [UInt8], _ sequence: Int64, at now: ContinuousClock.Instant) {
    let known = entries[topic]
    guard known != nil || entries.count < channelsMax else { return }
    // A timer that goes off too early is set again then: a busy channel keeps one timer.
    if let known, known.sent == 0 {
      entries[topic] = Entry(sequence: sequence, published: now, due: known.due)
    } else {
      let due = now + Self.delays[0]
      entries[topic] = Entry(sequence: sequence, published: now, due: due)
      timers.insert(topic, due: due)
    }
  }

  /// A channel has no beacons any more.
  mutating func forget(_ topic: [UInt8]) { entries[topic] = nil }

  /// Whether `takeDue` has something to look at.
  func isDue(at now: ContinuousClock.Instant) -> Bool { next.map { $0 <= now } ?? false }

  /// Returns beacons that are due, of at most so many timers.
  mutating func takeDue(at now: ContinuousClock.Instant, timersMax: Int = .max) -> [Beacon] {
    var beacons: [Beacon] = []
    var looked = 0
    while looked < timersMax, let topic = timers.popDue(at: now) {
      looked += 1
      guard var entry = entries[topic], entry.due <= now else { continue }
      if entry.published + Self.delays[entry.sent] <= now {
        beacons.append(Beacon(topic: topic, sequence: entry.sequence))
        entry.sent += 1
      }
      if entry.sent < Self.delays.count {
        entry.due = entry.published + Self.delays[entry.sent]
        entries[topic] = entry
        timers.insert(topic, due: entry.due)
      } else {
        entries[topic] = nil
      }
    }
    return beacons
  }
}
