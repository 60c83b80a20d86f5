public import TidingsMemory

extension MemoryShares {
  /// The largest frame.
  public var frameBytesMax: Int { min(WireLimits.frameBytesMax, frame) }
  /// What one call may take in decoded form: on the loop, on the thread of a long call, and on one that reads.
  public var decodedBytesMax: Int { min(4 * frameBytesMax, self[.decoding] / 27 * 8) }
  /// What the request of a call may take in decoded form that only reads, on each of four threads.
  public var decodedReadBytesMax: Int { min(decodedBytesMax, self[.decoding] / 36) }
}
