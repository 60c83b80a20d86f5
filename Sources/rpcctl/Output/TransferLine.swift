internal import Synchronization
internal import TidingsClient

/// A line on a terminal that tells how far a transfer is: plain text, no colours.
final class TransferLine: Sendable {
  private let name: String
  private let output: Output
  private let clock: @Sendable () -> ContinuousClock.Instant
  private let state: Mutex<State>

  private struct State {
    /// When and where bytes began to travel.
    var begin: (time: ContinuousClock.Instant, bytes: UInt64)?
    var nextUpdate: ContinuousClock.Instant?
  }

  private static let updatePause = Duration.milliseconds(100)
  private static let barWidth = 24

  /// A line for one transfer; nothing is shown where nobody looks.
  init(
    _ name: String,
    _ output: Output,
    clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.name = name
    self.output = output
    self.clock = clock
    state = Mutex(State())
  }

  /// Hears of progress, as often as it likes.
  func update(_ progress: AssetProgress) {
    guard output.showsProgress else { return }
    let now = clock()
    let speed: Double? = state.withLock { state in
      if progress.step == .transferring, state.begin == nil {
        state.begin = (now, progress.bytesDone)
      }
      if let next = state.nextUpdate, now < next { return nil }
      state.nextUpdate = now.advanced(by: Self.updatePause)
      guard let (time, bytes) = state.begin, progress.bytesDone > bytes else { return 0 }
      return Double(progress.bytesDone - bytes) / ((now - time) / .seconds(1))
    }
    if let speed { output.show(progress: line(progress, bytesPerSecond: speed)) }
  }

  /// Removes the line.
  func end() { output.endProgress() }

  private func line(_ progress: AssetProgress, bytesPerSecond: Double) -> String {
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
