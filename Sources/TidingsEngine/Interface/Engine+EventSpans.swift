internal import TidingsModel
internal import TidingsSQL

extension Engine {
  /// The number of the newest event that is stored, or will be with the open transaction; 0: there is none.
  public var lastEvent: Int64 { events.store.nextID - 1 }

  /// What was stored after an event, for pushes that were perhaps not published.
  ///
  /// - Parameters:
  ///   - event: The event's number.
  ///   - limit: How many events are looked at.
  /// - Returns: A span for each channel that still has subscribers, and the last event that was looked at.
  /// - Throws: `SQLError`.
  public func eventSpans(
    after event: Int64,
    limit: Int64
  ) throws -> (spans: [EventSpan], last: Int64) {
    let end = min(lastEvent, event + limit)
    guard end > event else { return ([], max(event, lastEvent)) }
    let select = try room.connection.prepare(
      """
      SELECT channel_id, min(sequence), max(sequence) FROM events
      WHERE id > ?1 AND id <= ?2 GROUP BY channel_id
      """
    )
    select.bind(event, at: 1)
    select.bind(end, at: 2)
    var rows: [(channel: Int64, first: Int64, last: Int64)] = []
    try select.forEachRow { rows.append((select.int64(0), select.int64(1), select.int64(2))) }
    let spans = try rows.compactMap { row in
      try channels.registry.watched.entry(row.channel).map { entry in
        EventSpan(
          topic: try channels.registry.content(of: entry).topic,
          previous: row.first - 1,
          last: row.last
        )
      }
    }
    return (spans, end)
  }
}
