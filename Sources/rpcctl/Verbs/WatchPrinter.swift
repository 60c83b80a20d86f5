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
  /// A table that is printed while it grows cannot fit its columns to their content.
  private static let widths = [24, 16, 16, 24, 32, 0]

  let output: Output
  /// Empty: all.
  let subscriptionIDs: Set<String>

  /// Prints until the stream ends or enough are printed.
  func print(
    _ stream: some AsyncSequence<TidingsV1.Notification, RPCError>,
    countMax: Int?,
    _ progress: WatchProgress
  ) async throws {
    for try await notification in stream {
      guard subscriptionIDs.isEmpty || subscriptionIDs.contains(notification.subscriptionID) else {
        continue
      }
      try print(notification, isFirst: progress.count == 0)
      progress.advance()
      if progress.count == countMax { return }
    }
  }

  private func print(_ notification: TidingsV1.Notification, isFirst: Bool) throws {
    guard output.format == .table else {
      return output.write(try NotificationJSON.json(notification))
    }
    if isFirst { output.write(text: Table.line(NotificationJSON.columns, widths: Self.widths)) }
    let cells = NotificationJSON.row(notification).map(printable)
    output.write(text: Table.line(cells, widths: Self.widths))
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
