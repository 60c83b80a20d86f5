/// Removes dead letters after 30 days.
final class DeadLetterExpiry: MaintenanceTask {
  private static let retentionSeconds = 30 * 86_400
  private static let rowsPerPiece: Int64 = 200
  private static let pause = Duration.seconds(3_600)

  private let table: DeliveryTable

  init(_ table: DeliveryTable) { self.table = table }

  func work(at moment: Moment) throws -> Duration {
    let removed = try table.deleteDead(
      before: moment.timeOfDay.advanced(seconds: -Self.retentionSeconds),
      limit: Self.rowsPerPiece
    )
    return removed < Self.rowsPerPiece ? Self.pause : .zero
  }
}
