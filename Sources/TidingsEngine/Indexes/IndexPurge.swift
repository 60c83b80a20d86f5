internal import TidingsModel

/// Removes the entries that no cursor of a query can need any more.
final class IndexPurge: MaintenanceTask {
  private static let entriesPerPiece = 500
  private static let pause = Duration.seconds(60)

  private let entries: IndexEntries
  private let limits: Limits

  init(entries: IndexEntries, limits: Limits) {
    self.entries = entries
    self.limits = limits
  }

  func work(at moment: Moment) throws -> Duration {
    let count = try entries.removeEnded(
      before: moment.steady.earlier(byMinutes: limits.cursorRetentionMinutes * 2),
      limit: Self.entriesPerPiece
    )
    return count < Self.entriesPerPiece ? Self.pause : .zero
  }
}
