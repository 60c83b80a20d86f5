internal import Synchronization
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// How far a watch has come; read when its time is over.
final class WatchProgress: Sendable {
  private let state = Mutex(0)
  var count: Int { state.withLock { $0 } }
  func advance() { state.withLock { $0 += 1 } }
}

/// Prints notifications one by one.
struct WatchPrinter: Sendable {
  /// A table that is printed while it grows cannot fit its columns to their content: it begins with
  /// these, and widens them from the line on that needs it.
  private static let widthsAtFirst = [24, 16, 16, 24, 32, 0]

  let output: Output
  /// Empty: all.
  let subscriptionIDs: Set<String>

  /// Prints until the stream ends or enough are printed.
  func print(
    _ stream: some AsyncSequence<TidingsV1.Notification, RPCError>,
    countMax: Int?,
    _ progress: WatchProgress
  ) async throws {
    var widths = Self.widthsAtFirst
    for try await notification in stream
    where subscriptionIDs.isEmpty || subscriptionIDs.contains(notification.subscriptionID) {
      try print(notification, isFirst: progress.count == 0, &widths)
      progress.advance()
      if progress.count == countMax { return }
    }
  }

  private func print(
    _ notification: TidingsV1.Notification,
    isFirst: Bool,
    _ widths: inout [Int]
  ) throws {
    guard output.format == .table else {
      return output.write(try NotificationJSON.json(notification))
    }
    let cells = NotificationJSON.row(notification).map(printable)
    widths = zip(widths, cells).map { max($0, displayWidth($1)) }
    if isFirst { output.write(text: Table.line(NotificationJSON.columns, widths: widths)) }
    output.write(text: Table.line(cells, widths: widths))
  }
}

/// Runs something until it ends or the time is over; returns how far it came.
func withTimeLimit(
  _ limit: Duration?,
  _ body: @escaping @Sendable (WatchProgress) async throws -> Void
) async throws -> Int {
  let progress = WatchProgress()
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await body(progress) }
    if let limit { group.addTask { try? await Task.sleep(for: limit) } }
    // The first to end decides; the other is cancelled.
    try await group.next()
    group.cancelAll()
  }
  return progress.count
}
