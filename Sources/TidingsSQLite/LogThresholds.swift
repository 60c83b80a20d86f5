/// How long the log may become, in frames of one page, before something is done about it.
public struct LogThresholds: Sendable {
  /// It is worth moving into the database file, 32 MiB at most.
  ///
  /// Pages that are written often are moved once.
  public let worthMoving: Int
  /// New snapshots wait until the log was restarted.
  public let snapshotsWait: Int
  /// Writes wait too, and snapshots are ended.
  public let writesWait: Int

  /// A frame: a page with its header.
  public static let frameBytes = 4096 + 24
  private static let worthMovingMax = 8_000

  /// The thresholds of a log.
  ///
  /// - Parameter bytesMax: From which length on new snapshots wait, in bytes.
  public init(bytesMax: Int) {
    snapshotsWait = max(bytesMax / Self.frameBytes, 1)
    worthMoving = min(Self.worthMovingMax, max(snapshotsWait / 8, 1))
    writesWait = snapshotsWait + snapshotsWait / 2
  }
}
