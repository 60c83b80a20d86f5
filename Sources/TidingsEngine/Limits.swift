public import TidingsModel

/// What the engine refuses to exceed.
///
/// The server advertises these.
public struct Limits: Hashable, Sendable {
  /// Most items in one call, saves and deletions together.
  public var itemsPerCallMax = 400
  /// Largest encoded record, in bytes, without assets.
  public var recordBytesMax = 1_000_000
  /// Most members of a record's lists, together: an empty location takes few bytes when encoded and
  /// many when not.
  public var listMembersPerRecordMax = 100_000
  /// Most results in one page; also what a limit of 0 means.
  public var pageItemsMax = 400
  /// Most subscriptions of one user in one container.
  public var subscriptionsPerUserMax = 10_000
  /// How long an idempotency key is remembered, in hours.
  public var idempotencyRetentionHours = 24
  /// A page of a feed, and the server's records in an answer to a save, end at this many bytes: what
  /// is large in sum must still fit into a frame.
  public var answerBytesMax = 4 << 20
  /// Most rows that one page of a feed looks at, so that a page of skipped rows ends too.
  public var rowsPerPageMax = 4_000

  /// The defaults.
  public init() {}

  /// Refuses a call with more items than are allowed.
  public func check(itemCount count: Int) throws(ItemError) {
    guard count <= itemsPerCallMax else {
      throw ItemError(
        .limitExceeded,
        "the call has \(count) items and may have \(itemsPerCallMax): split it in half"
      )
    }
  }
}
