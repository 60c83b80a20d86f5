internal import Synchronization
internal import TidingsMemory
internal import TidingsProtobuf
internal import TidingsRPC

/// Decodes large calls on the threads that read, one at a time: the share of the memory has room for one.
final class LargeDecoding: Sendable {
  private let bytesMax: Int
  private let turn = Mutex(())

  init(_ memory: MemoryShares) { bytesMax = memory.decodedBytesMax }

  /// Lends an arena, whose contents are gone afterwards.
  func withArena(_ decode: (borrowing Arena) -> Void) {
    turn.withLock { _ in decode(Arena(capacityBytes: bytesMax)) }
  }
}
