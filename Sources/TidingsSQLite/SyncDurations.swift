internal import CStoreVFS

/// How long the syncs of databases and their logs took in this process.
public struct SyncDurations: Sendable {
  /// Upper bounds of the buckets, in nanoseconds.
  public let bounds: [UInt64]
  /// A count for each bucket, and one for what exceeds all bounds.
  public let counts: [UInt64]
  /// The sum, in nanoseconds.
  public let sum: UInt64

  /// What was measured so far.
  public static var current: Self {
    let bounds = withUnsafeBytes(of: tidings_vfs_sync_bounds) {
      Array($0.bindMemory(to: UInt64.self))
    }
    var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    let sum = tidings_vfs_sync_counts(&counts)
    return Self(bounds: bounds, counts: counts, sum: sum)
  }
}
