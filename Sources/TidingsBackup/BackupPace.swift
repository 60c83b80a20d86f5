/// How fast a copy goes, so that others hardly notice it.
package struct BackupPace: Sendable {
  /// Bytes in a second where nobody says otherwise: 32 MiB.
  package static let bytesPerSecondDefault: UInt64 = 32 << 20
  /// The slowest that can be asked for, 1 MiB: pages are kept aside as long as a copy runs.
  package static let bytesPerSecondMin: UInt64 = 1 << 20
  /// What was not used is not caught up with, beyond this much time.
  private static let catchUpMax = Duration.milliseconds(100)

  private let bytesPerSecondMax: Double
  private var due: ContinuousClock.Instant

  /// A pace that begins now.
  package init(bytesPerSecondMax: UInt64, now: ContinuousClock.Instant) {
    self.bytesPerSecondMax = Double(max(bytesPerSecondMax, 1))
    due = now
  }

  /// Bytes were copied.
  ///
  /// - Returns: How long to rest before the next.
  package mutating func advance(by bytes: Int, now: ContinuousClock.Instant) -> Duration {
    due = max(due, now.advanced(by: .zero - Self.catchUpMax))
      .advanced(by: .seconds(Double(bytes) / bytesPerSecondMax))
    return max(due - now, .zero)
  }
}
