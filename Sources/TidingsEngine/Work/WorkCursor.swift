internal import TidingsModel

/// Where a group stands in one channel: it walks the user's memberships in the order of their
/// numbers, a few events at a time.
struct WorkCursor {
  /// An event, without its body.
  struct Event {
    let sequence: Int64
    /// The place among the events of all channels.
    let id: Int64
    /// The calling device caused it.
    let isOwn: Bool
  }

  /// A channel's place among the others: that of its next event.
  struct Location: Comparable {
    let id: Int64
    /// Where the cursor is kept.
    let index: Int

    static func < (one: Location, other: Location) -> Bool { one.id < other.id }
  }

  /// Most events read at once; the first read is of one.
  private static let chunkRowsMax = 64

  let channel: Int64
  /// Only events of records that this user created; `nil`: of all.
  let creator: String?
  /// Where the group stood before.
  let start: Int64
  /// The last number that was leased or skipped.
  private(set) var position: Int64
  /// The first number from `position` on that is marked read, once it was looked up.
  var nextMark: Int64?
  /// The memberships that may hold more; the events read belong to the first.
  private var ranges: ArraySlice<SubscriptionTable.Membership>
  /// The number of the channel's newest event.
  private let head: Int64
  /// The next event last.
  private var events: [Event] = []
  private var chunkRows = 1

  /// A cursor over memberships of one channel, ordered by number.
  init(
    _ ranges: ArraySlice<SubscriptionTable.Membership>,
    channel: Int64,
    head: Int64,
    after: Int64,
    creator: String? = nil
  ) {
    self.creator = creator
    self.ranges = ranges
    self.channel = channel
    self.head = head
    start = after
    position = after
  }

  /// The next event.
  var next: Event? { events.last }

  /// The name of the subscription that the next event belongs to.
  var subscriptionID: String { ranges.first?.subscriptionID ?? "" }

  /// The place of the next event; `nil` when there is none.
  func location(at index: Int) -> Location? { next.map { Location(id: $0.id, index: index) } }

  /// Leaves the next event behind.
  mutating func advance() {
    guard let event = events.popLast() else { return }
    position = event.sequence
  }

  /// Reads on, if all events that were read are taken.
  ///
  /// What is no longer kept is skipped.
  ///
  /// - Parameter read: Returns the first events, at most so many, of those with a number in the range.
  /// - Throws: What `read` throws.
  mutating func refill(
    _ read: (_ numbers: ClosedRange<Int64>, _ rows: Int) throws -> [Event]
  ) throws {
    while events.isEmpty, let range = ranges.first {
      let (first, last) = (max(position, range.since), range.ended ?? head)
      if first < last {
        events = try read(first + 1...last, chunkRows).reversed()
        chunkRows = min(chunkRows * 2, Self.chunkRowsMax)
      }
      guard events.isEmpty else { return }
      position = max(position, last)
      ranges.removeFirst()
    }
  }
}
