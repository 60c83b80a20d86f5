internal import TidingsBackup
internal import TidingsRPC

/// How slowly a client may take a backup: the store keeps pages aside for it.
struct ReaderPatience {
  /// The slowest client, in bytes in a second of waiting for it.
  static let bytesPerSecondMin = 64 << 10
  /// How long a client may be behind.
  static let pauseMax = Duration.seconds(60)

  private var waited = Duration.zero
  private var bytes = 0

  /// A client took a message.
  ///
  /// - Throws: `RPCError` CANCELLED when it takes too long.
  mutating func took(_ count: Int, after duration: Duration) throws(RPCError) {
    waited += duration
    bytes += count
    let allowed = Duration.seconds(Double(bytes) / Double(Self.bytesPerSecondMin)) + Self.pauseMax
    guard waited > allowed else { return }
    throw RPCError(
      .cancelled,
      "the client took \(bytes) bytes in \(waited.components.seconds) s, which is too slow: at least "
        + "\(Self.bytesPerSecondMin) bytes in a second are needed"
    )
  }
}
