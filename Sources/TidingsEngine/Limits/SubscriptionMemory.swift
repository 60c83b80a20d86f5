/// What subscriptions take in memory, where all of them are as long as the server runs.
package enum SubscriptionMemory {
  /// Estimates from above what subscriptions, or channels, take.
  ///
  /// Measured with an `rpcd` (x86-64, release, 2026-11-28): 651 bytes for `a = 1`, 6 bytes for each byte of a long text,
  /// 12 for an OR of comparisons, 19 for the values of an IN, 24 for the words of a CONTAINS.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - bytes: The bytes of all, as they are stored.
  /// - Returns: Bytes.
  package static func cost(count: Int, bytes: Int) -> Int { 512 * count + 24 * bytes }
}

extension Limits {
  /// What the subscriptions of all users may take in memory, as `SubscriptionMemory` counts.
  package var subscriptionMemoryMax: Int { memoryBytesMax / 8 }
  /// Those of one user in all containers.
  package var subscriptionMemoryPerUserMax: Int { memoryBytesMax / 16 }
}
