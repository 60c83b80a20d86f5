internal import TidingsModel

/// An event of a user's channels, when a page comes to it.
struct FeedEvent {
  /// The place among the events of all channels.
  let location: Int64
  /// The first event that the same call caused.
  let batch: Int64
  let id: NotificationID
  /// The calling device caused it.
  let isOwn: Bool
  /// The user's subscription that it belongs to.
  let subscriptionID: String
}

/// Walks the events of a user's channels in the order of their places.
protocol FeedEvents: AnyObject {
  /// Goes to the next event.
  ///
  /// - Parameter rows: How many rows may still be looked at.
  /// - Returns: What is there.
  /// - Throws: `SQLError`.
  func next(_ rows: inout Int) throws -> FeedStep
  /// The encoded notification of the event that `next` returned last.
  func body() throws -> [UInt8]
  /// Who created the record of the event that `next` returned last; empty: not known.
  func creator() -> String
  /// Ends the walk: no statement is left in the middle of its rows.
  func close()
}

/// What comes next on a walk.
enum FeedStep {
  /// An event.
  case event(FeedEvent)
  /// Enough rows were looked at, up to this place; there may be more of this call behind it.
  case pause(Int64, batch: Int64)
  /// No event is left.
  case end
}
