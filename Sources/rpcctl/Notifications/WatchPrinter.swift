internal import Synchronization
internal import TidingsJSON
internal import TidingsProto

/// Prints notifications one by one.
final class WatchPrinter: Sendable {
  private let output: Output
  private let table = Mutex(
    GrowingTable(NotificationJSON.columns, widthsMin: [24, 16, 16, 24, 32, 0])
  )

  init(output: Output) { self.output = output }

  func print(_ notification: TidingsV1.Notification) throws {
    guard output.format == .table else {
      return output.write(try NotificationJSON.json(notification))
    }
    table.withLock { $0.print([NotificationJSON.row(notification)], output) }
  }
}
