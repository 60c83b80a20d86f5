/// Where a page stands in one channel: it walks the user's memberships in the order of their
/// numbers, a few events at a time.
struct FeedCursor {
  /// An event, without its body.
  struct Event {
    let sequence: Int64
    /// The place among the events of all channels.
    let id: Int64
    /// The calling device caused it.
    let isOwn: Bool
  }

  /// A channel's place among the others: that of its next event.
  struct Place: Comparable {
    let id: Int64
    /// Where the cursor is kept.
    let index: Int

    static func < (one: Place, other: Place) -> Bool { one.id < other.id }
  }

  /// Most events read at once.
  ///
  /// The first read is of one: most channels of a user with many have
  /// little to tell.
  private static let chunkRowsMax = 64

  let channel: Int64
  /// The last number that was taken.
  private(set) var position: Int64
  /// The memberships that may hold more; the events read belong to the first.
  private var ranges: ArraySlice<SubscriptionTable.Membership>
  /// The next event last.
  private var events: [Event] = []
  private var chunkRows = 1
  /// The first number from `position` on that is marked read, once it was looked up.
  var nextMark: Int64?

  /// A cursor over memberships of one channel, ordered by number.
  init(_ ranges: ArraySlice<SubscriptionTable.Membership>, channel: Int64, after position: Int64) {
    self.ranges = ranges
    self.channel = channel
    self.position = position
  }

  /// The next event.
  var next: Event? { events.last }

  /// The name of the subscription that the next event belongs to.
  var subscriptionID: String { ranges.first?.subscriptionID ?? "" }

  /// The place of the next event; `nil` when there is none.
  func place(at index: Int) -> Place? {
    next.map { Place(id: $0.id, index: index) }
  }

  /// Leaves the next event behind.
  mutating func advance() {
    guard let event = events.popLast() else { return }
    position = event.sequence
  }

  /// Reads on, if all events that were read are taken.
  ///
  /// - Parameters:
  ///   - head: The number of the channel's newest event.
  ///   - read: Returns the first events, at most so many, of those with a number in the range.
  /// - Throws: What `read` throws.
  mutating func refill(
    head: Int64,
    _ read: (_ numbers: ClosedRange<Int64>, _ rows: Int) throws -> [Event]
  ) throws {
    while events.isEmpty, let range = ranges.first {
      let (start, end) = (max(position, range.since), range.ended ?? head)
      if start < end {
        events = try read(start + 1...end, chunkRows).reversed()
        chunkRows = min(chunkRows * 2, Self.chunkRowsMax)
      }
      if events.isEmpty { ranges.removeFirst() }
    }
  }
}
