internal import TidingsEngine
internal import TidingsModel
internal import TidingsZeroMQ

/// Publishes what a commit made durable, and repeats the newest numbers a little later.
struct Publisher {
  private var beacons = BeaconSchedule()
  private let publications = PublicationLog()

  /// When `sendBeacons` is due; `nil`: never.
  var nextTimer: ContinuousClock.Instant? { beacons.next }

  /// How an event was published; `nil`: that is not known any more.
  func publication(of channel: Int64, _ sequence: Int64) -> Publication? {
    publications.find(channel, sequence)
  }

  /// Publishes events, each once, however many subscribe.
  mutating func publish(_ events: [StoredEvent], on loop: LoopContext) {
    for event in events {
      loop.publish(topic: event.topic, body: PushMessage.event(event))
      beacons.published(event.topic, event.sequence, at: loop.now)
    }
  }

  /// Tells users' devices that their channels changed.
  func announceChannels(_ topics: Set<[UInt8]>, on loop: LoopContext) {
    for topic in topics {
      loop.publish(topic: topic, body: PushMessage.channelsChanged(at: .now))
    }
  }

  /// Repeats the numbers that are due.
  mutating func sendBeacons(on loop: LoopContext) {
    for beacon in beacons.takeDue(at: loop.now) {
      loop.publish(topic: beacon.topic, body: PushMessage.beacon(beacon.sequence, at: .now))
    }
  }
}
