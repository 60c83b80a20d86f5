/// Up to which event a node has published for sure: some seconds ago, since pushes of busy topics are merged and follow
/// their events a little later.
struct EventFrontier {
  /// How long the pushes of an event may take after it.
  static let delayMax = Duration.seconds(2)

  private var notes: [(event: Int64, time: ContinuousClock.Instant)] = []

  /// The event; 0: nothing is known.
  private(set) var event: Int64 = 0

  /// The newest event that was published, perhaps with exceptions.
  mutating func note(_ event: Int64, at now: ContinuousClock.Instant) {
    if notes.isEmpty, self.event == 0 { self.event = event }
    if notes.last.map({ $0.event < event }) ?? true { notes.append((event, now)) }
    while let first = notes.first, first.time.advanced(by: Self.delayMax) <= now {
      self.event = max(self.event, first.event)
      notes.removeFirst()
    }
    // One for each moment is enough.
    if notes.count > Self.notesMax { notes.remove(at: notes.count - 2) }
  }

  private static let notesMax = 256
}
