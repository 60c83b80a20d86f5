package import TidingsMemory

extension Limits {
  /// What the memory is for: the bounds of all that clients can make grow there.
  package var memory: MemoryShares { MemoryShares(bytes: memoryBytesMax) }
}
