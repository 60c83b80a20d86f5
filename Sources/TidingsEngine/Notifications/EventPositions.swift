internal import TidingsSQL

/// Finds events by number and by place.
///
/// The places of a channel's events rise with their numbers, and what is kept of a channel has no
/// gaps.
final class EventPositions {
  private let selectFirst: any SQLStatement
  private let selectLast: any SQLStatement
  private let selectNewest: any SQLStatement
  private let selectLocation: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    selectFirst = try connection.prepare("SELECT id FROM events ORDER BY id LIMIT 1")
    selectLast = try connection.prepare("SELECT id FROM events ORDER BY id DESC LIMIT 1")
    selectNewest = try connection.prepare(
      """
      SELECT sequence, id FROM events WHERE channel_id = ?1 ORDER BY sequence DESC LIMIT 1
      """
    )
    selectLocation = try connection.prepare(
      "SELECT id FROM events WHERE channel_id = ?1 AND sequence = ?2"
    )
  }

  /// The place of the oldest event that is kept; `nil`: there never was one.
  func first() throws(SQLError) -> Int64? { try number(selectFirst) }

  /// The place of the newest event of all; 0: there never was one.
  func last() throws(SQLError) -> Int64 { try number(selectLast) ?? 0 }

  /// A channel's newest event that is kept.
  func newest(of channel: Int64) throws(SQLError) -> (sequence: Int64, location: Int64)? {
    selectNewest.bind(channel, at: 1)
    defer { selectNewest.reset() }
    return try selectNewest.step() ? (selectNewest.int64(0), selectNewest.int64(1)) : nil
  }

  /// The place of an event; `nil`: it is not kept.
  func location(of sequence: Int64, in channel: Int64) throws(SQLError) -> Int64? {
    selectLocation.bind(channel, at: 1)
    selectLocation.bind(sequence, at: 2)
    return try number(selectLocation)
  }

  /// The number of a channel's newest event whose place is not behind another place, at least.
  ///
  /// - Parameters:
  ///   - location: The place.
  ///   - channel: The channel.
  ///   - low: A number to begin with: it is returned if all events behind it are behind the place.
  /// - Returns: The number; `nil` when no event of the channel is behind the place.
  /// - Throws: `SQLError`.
  func number(upTo location: Int64, in channel: Int64, from low: Int64) throws(SQLError) -> Int64? {
    guard let newest = try newest(of: channel), newest.location > location else { return nil }
    guard location > 0 else { return low }
    // Up to `low` nothing is behind the place, or is wanted; `high` is behind it.
    var (low, high) = (low, newest.sequence)
    while low + 1 < high {
      let middle = low + (high - low) / 2
      // What is kept no longer is before all that is.
      if try self.location(of: middle, in: channel) ?? 0 > location {
        high = middle
      } else {
        low = middle
      }
    }
    return low
  }

  private func number(_ statement: any SQLStatement) throws(SQLError) -> Int64? {
    defer { statement.reset() }
    return try statement.step() ? statement.int64(0) : nil
  }
}
