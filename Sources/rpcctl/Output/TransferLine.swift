internal import Synchronization
internal import TidingsClient

/// A line on a terminal that shows the progress of a transfer.
final class TransferLine: Sendable {
  private let name: String
  private let clock: @Sendable () -> ContinuousClock.Instant
  private let line: Progress
  /// The time and position at which the transfer started.
  private let begin = Mutex<(time: ContinuousClock.Instant, bytes: UInt64)?>(nil)

  private static let barWidth = 24

  /// A line for one transfer; not shown without a terminal.
  init(
    _ name: String,
    _ output: Output,
    clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.name = name
    self.clock = clock
    line = Progress(output, clock: clock)
  }

  /// Updates the line; may be called at any rate.
  func update(_ progress: AssetProgress) {
    let now = clock()
    let begin = begin.withLock { begin in
      if progress.step == .transferring, begin == nil { begin = (now, progress.bytesDone) }
      return begin
    }
    line.update {
      guard let (time, bytes) = begin, progress.bytesDone > bytes else {
        return text(progress, bytesPerSecond: 0)
      }
      let speed = Double(progress.bytesDone - bytes) / ((now - time) / .seconds(1))
      return text(progress, bytesPerSecond: speed)
    }
  }

  /// Removes the line.
  func end() { line.end() }

  private func text(_ progress: AssetProgress, bytesPerSecond: Double) -> String {
    let done = Double(progress.bytesDone)
    let speed = bytesPerSecond > 0 ? ", \(Self.megabytes(bytesPerSecond)) MB/s" : ""
    guard let bytesTotal = progress.bytesTotal else {
      return "\(name) \(Self.megabytes(done)) MB\(speed)"
    }
    let total = Double(max(bytesTotal, 1))
    let part = min(done / total, 1)
    let filled = Int(part * Double(Self.barWidth))
    let bar =
      String(repeating: "#", count: filled)
      + String(repeating: "-", count: Self.barWidth - filled)
    let percent = "\(Int(part * 100))%"
    let padding = String(repeating: " ", count: 4 - percent.count)
    let amount = "\(Self.megabytes(done)) of \(Self.megabytes(Double(bytesTotal))) MB"
    let verb = progress.step == .reading ? " (reading)" : ""
    return "\(name) [\(bar)] \(padding)\(percent)  \(amount)\(speed)\(verb)"
  }

  private static func megabytes(_ bytes: Double) -> String {
    let tenths = Int((bytes / 100_000).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
