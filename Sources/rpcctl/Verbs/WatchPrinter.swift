internal import Synchronization
internal import TidingsJSON
internal import TidingsProto

/// Prints notifications one by one.
final class WatchPrinter: Sendable {
  private let output: Output
  /// A table that is printed while it grows cannot fit its columns to their content: it begins with
  /// these, and widens them from the line on that needs it.
  private let widths = Mutex([24, 16, 16, 24, 32, 0])
  private let hasHeader = Mutex(false)

  init(output: Output) { self.output = output }

  func print(_ notification: TidingsV1.Notification) throws {
    guard output.format == .table else {
      return output.write(try NotificationJSON.json(notification))
    }
    let cells = NotificationJSON.row(notification).map(printable)
    let widths = widths.withLock { widths in
      widths = zip(widths, cells).map { max($0, displayWidth($1)) }
      return widths
    }
    let isFirst = hasHeader.withLock { hasHeader in
      defer { hasHeader = true }
      return !hasHeader
    }
    if isFirst { output.write(head: Table.line(NotificationJSON.columns, widths: widths)) }
    output.write(text: Table.line(cells, widths: widths))
  }
}
