internal import TidingsEngine
internal import TidingsMemory
internal import TidingsMetrics
internal import TidingsModel
internal import TidingsSeal
internal import TidingsZeroMQ

/// Publishes what a commit made durable, and repeats the newest numbers a little later.
///
/// An event is sealed once and sent once, whoever receives it.
struct Publisher: ~Copyable {
  private var beacons: BeaconSchedule
  /// When to repeat on control topics that channels changed, for a device that did not listen yet.
  private var announcements: BeaconSchedule
  private var pacing: PushPacing
  private var publications: PublicationLog
  /// None: pushes are not sealed.
  private var keys: SealingKeyCache?
  private var nonces = NonceSequence()
  /// Events that are too many to be published in one turn, in their order.
  private var unpublished = UnpublishedEvents()
  /// When those are due: in the turn after the one that left them.
  private var restDue = ContinuousClock.now
  /// Of the last turn in which something was published.
  private var share = PublicationShare(of: .now)
  /// Beyond these they are published at once.
  static let unpublishedMax = 100_000
  /// While the thread that sends pushes has no room, events wait for this long.
  private static let pauseForRoom = Duration.milliseconds(1)
  private let unpublishedBytesMax: Int
  private let pushBytesMax: Int
  /// What was done so far.
  private(set) var counters = PublisherCounters()

  /// A publisher.
  ///
  /// - Parameters:
  ///   - limits: How large pushes may be, and how many there may be.
  ///   - key: The key of a topic; `nil`: pushes are not sealed.
  init(_ limits: Limits, key: (([UInt8]) -> SealingKey)?) {
    let memory = limits.memory
    beacons = BeaconSchedule(channelsMax: memory.count(of: .beacons))
    announcements = BeaconSchedule(channelsMax: memory.count(of: .beacons))
    publications = PublicationLog(countMax: memory.count(of: .publications))
    pacing = PushPacing(
      pushesPerSecondMax: limits.pushesPerSecondMax,
      topicsMax: memory.count(of: .pacing)
    )
    keys = key.map { SealingKeyCache($0) }
    pushBytesMax = limits.pushBytesMax
    unpublishedBytesMax = memory[.eventsUnpublished]
  }

  /// Events that wait for a later turn.
  var unpublishedCount: Int { unpublished.count }

  /// Pushes are sealed.
  var seals: Bool { keys != nil }

  /// When `timerFired` is due; `nil`: never.
  var nextTimer: ContinuousClock.Instant? {
    if !unpublished.isEmpty { return restDue }
    return earlier(earlier(beacons.next, announcements.next), pacing.next)
  }

  /// How an event was published; `nil`: that is not known any more.
  func publication(of channel: Int64, _ sequence: Int64) -> Publication? {
    publications.find(channel, sequence)
  }

  /// Publishes events, each once, however many subscribe; what is too much for a turn follows in others.
  ///
  /// - Parameters:
  ///   - events: The events.
  ///   - committed: When they became durable, in nanoseconds of the monotonic clock.
  ///   - traces: Spans that the pushes carry.
  ///   - loop: The loop.
  mutating func publish(
    _ events: [StoredEvent],
    committed: Int64,
    traces: [PushTrace] = [],
    on loop: LoopContext
  ) {
    guard !events.isEmpty else { return }
    var begun = 0
    // Others wait: it is not the turn of these.
    if unpublished.isEmpty {
      begun = publishFirst(events, committed, traces, on: loop)
      guard begun < events.count else { return }
      restDue = loop.takesPushes ? loop.now : loop.now.advanced(by: Self.pauseForRoom)
    }
    unpublished.append(events, from: begun, committed: committed, traces: traces)
    while unpublished.count > Self.unpublishedMax || unpublished.bytes > unpublishedBytesMax {
      publishSome(PublicationShare.pieceMax, on: loop)
    }
  }

  /// Publishes as many of some events as a turn has room for.
  ///
  /// - Returns: How many.
  private mutating func publishFirst(
    _ events: [StoredEvent],
    _ committed: Int64,
    _ traces: [PushTrace],
    on loop: LoopContext
  ) -> Int {
    let published = PushMessage.PublicationTime(.now)
    beginShare(on: loop)
    var (begun, count) = (0, UInt64(0))
    while begun < events.count, loop.takesPushes {
      let trace = traces.isEmpty ? nil : traces.traceParent(ofEvent: begun)
      if publish(events[begun], committed, published, trace, on: loop) { count += 1 }
      begun += 1
      if begun % PublicationShare.pieceMax == 0, !share.isOpen { break }
    }
    counters.delay.note(Self.nanoseconds(since: committed), count: count)
    return begun
  }

  /// Something is about to be published in this turn.
  private mutating func beginShare(on loop: LoopContext) {
    if share.turn != loop.now { share = PublicationShare(of: loop.now) }
  }

  /// Publishes what was left for other turns.
  mutating func publishRest(on loop: LoopContext) { publishSome(unpublished.count, on: loop) }

  /// Publishes at most so many of the waiting events.
  private mutating func publishSome(_ countMax: Int, on loop: LoopContext) {
    guard !unpublished.isEmpty else { return }
    let published = PushMessage.PublicationTime(.now)
    for waiting in unpublished.take(countMax)
    where publish(
      waiting.event,
      waiting.committed,
      published,
      waiting.traceParent,
      on: loop
    ) {
      counters.delay.note(Self.nanoseconds(since: waiting.committed))
    }
  }

  /// Publishes an event, if its topic may have a push of its own now.
  ///
  /// - Returns: Whether it was published.
  private mutating func publish(
    _ event: StoredEvent,
    _ committed: Int64,
    _ published: PushMessage.PublicationTime,
    _ traceParent: [UInt8]?,
    on loop: LoopContext
  ) -> Bool {
    let decision = pacing.decide(
      event.topic,
      channel: event.channel,
      sequence: event.sequence,
      committed: committed,
      at: loop.now
    )
    guard decision == .publish else { return false }
    let push = PushMessage.event(
      event,
      published,
      protection(event.topic),
      traceParent: traceParent,
      bytesMax: pushBytesMax
    )
    loop.publish(topic: event.topic, body: push.bytes)
    beacons.published(event.topic, event.sequence, at: loop.now)
    if push.isPruned { counters.pruned += 1 }
    publications.note(
      event.channel,
      event.sequence,
      Publication(time: published.time, isCoalesced: false, isPruned: push.isPruned)
    )
    return true
  }

  private static func nanoseconds(since time: Int64) -> UInt64 {
    UInt64(max(0, monotonicNanoseconds() - time))
  }

  /// Notifies users' devices of notifications that another device marked read.
  mutating func publish(_ marks: [PushedReadMarks], on loop: LoopContext) {
    guard !marks.isEmpty else { return }
    let published = PushMessage.PublicationTime(.now)
    for marks in marks {
      let push = PushMessage.readMarks(
        marks,
        published,
        protection(marks.topic),
        bytesMax: pushBytesMax
      )
      loop.publish(topic: marks.topic, body: push)
      beacons.published(marks.topic, marks.last, at: loop.now)
    }
  }

  /// What says the numbers of channels, without their events, encoded: whoever gets it reads the log.
  static func numbers(of spans: [EventSpan]) -> [PublicationRing.Publication] {
    let published = PushMessage.PublicationTime(.now)
    return spans.map { span in
      .init(
        topic: span.topic,
        body: PushMessage.number(span.last, after: span.previous, published)
      )
    }
  }

  /// Notifies users' devices that their channels changed.
  mutating func announceChannels(_ topics: Set<[UInt8]>, on loop: LoopContext) {
    guard !topics.isEmpty else { return }
    let push = PushMessage.channelsChanged(PushMessage.PublicationTime(.now))
    for topic in topics {
      loop.publish(topic: topic, body: push)
      announcements.published(topic, 0, at: loop.now)
    }
  }

  /// Notifies users' devices that work was given back.
  func announceReleases(_ topics: Set<[UInt8]>, on loop: LoopContext) {
    guard !topics.isEmpty else { return }
    let push = PushMessage.workReleased(PushMessage.PublicationTime(.now))
    for topic in topics { loop.publish(topic: topic, body: push) }
  }

  /// Publishes nothing more on these topics, events that wait included: subscribers find them in the log.
  mutating func retire(_ topics: [[UInt8]]) {
    unpublished.remove(topics)
    for topic in topics {
      beacons.forget(topic)
      announcements.forget(topic)
      pacing.forget(topic)
    }
  }

  /// Publishes what is due: the numbers of merged events, and beacons.
  ///
  /// Thousands of channels that fired together are due together: a turn publishes what it has room for.
  mutating func timerFired(on loop: LoopContext) {
    beginShare(on: loop)
    while !unpublished.isEmpty, share.isOpen, loop.takesPushes {
      publishSome(PublicationShare.pieceMax, on: loop)
    }
    if !loop.takesPushes { restDue = loop.now.advanced(by: Self.pauseForRoom) }
    let published = PushMessage.PublicationTime(.now)
    while pacing.isDue(at: loop.now), share.isOpen { publishMerged(published, on: loop) }
    while beacons.isDue(at: loop.now), share.isOpen {
      for beacon in beacons.takeDue(at: loop.now, timersMax: PublicationShare.pieceMax) {
        publishNumber(
          beacon.sequence,
          after: beacon.sequence - 1,
          beacon.topic,
          published,
          on: loop
        )
      }
    }
    while announcements.isDue(at: loop.now), share.isOpen {
      for beacon in announcements.takeDue(at: loop.now, timersMax: PublicationShare.pieceMax) {
        loop.publish(topic: beacon.topic, body: PushMessage.channelsChanged(published))
      }
    }
  }

  /// Publishes the numbers of a piece of the merged events that are due.
  private mutating func publishMerged(
    _ published: PushMessage.PublicationTime,
    on loop: LoopContext
  ) {
    for merged in pacing.takeDue(at: loop.now, timersMax: PublicationShare.pieceMax) {
      publishNumber(merged.sequence, after: merged.previous, merged.topic, published, on: loop)
      beacons.published(merged.topic, merged.sequence, at: loop.now)
      let count = UInt64(clamping: merged.sequence - merged.previous)
      counters.coalesced += count
      counters.delay.note(Self.nanoseconds(since: merged.committed), count: count)
      for sequence in (merged.previous + 1)...merged.sequence {
        publications.note(
          merged.channel,
          sequence,
          Publication(time: published.time, isCoalesced: true, isPruned: false)
        )
      }
    }
  }

  private func publishNumber(
    _ sequence: Int64,
    after previous: Int64,
    _ topic: [UInt8],
    _ published: PushMessage.PublicationTime,
    on loop: LoopContext
  ) {
    loop.publish(topic: topic, body: PushMessage.number(sequence, after: previous, published))
  }

  private mutating func protection(_ topic: [UInt8]) -> PushMessage.Protection {
    guard let key = keys?.key(of: topic) else { return .open }
    return .sealed(key, nonces.next())
  }
}

/// What the publisher did.
struct PublisherCounters {
  /// Events that went out in a push of several.
  var coalesced: UInt64 = 0
  /// Pushes that were pruned.
  var pruned: UInt64 = 0
  /// From the commit of an event until libzmq had its push, in nanoseconds.
  var delay = Histogram(.durations)
}
