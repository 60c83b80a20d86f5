public import CProtobufC

/// Memory for C messages that is released at once: a bump allocator behind `ProtobufCAllocator`.
///
/// Allocating is an addition, freeing one piece does nothing. Use one arena per thread, pass it to
/// every decode and encode, and `reset()` it after each call. The capacity bounds what a peer's bytes
/// can make the decoder allocate; memory is taken from the system only as it is used.
public struct Arena: ~Copyable {
  /// The default capacity, 64 MiB.
  public static let defaultCapacityBytes = 64 << 20

  private let state: UnsafeMutablePointer<ArenaState>

  /// An empty arena.
  ///
  /// - Parameters:
  ///   - capacityBytes: The most that unpacking may allocate between two resets.
  ///   - firstChunkBytes: What is taken from the system at once, and kept by `reset()`.
  public init(
    capacityBytes: Int = Arena.defaultCapacityBytes,
    firstChunkBytes: Int = 1 << 16
  ) {
    precondition(capacityBytes > 0 && firstChunkBytes > 0, "an arena has room")
    state = ArenaState.make(capacityBytes: capacityBytes, firstChunkBytes: firstChunkBytes)
  }

  deinit {
    ArenaState.destroy(state)
  }

  /// Releases all that was allocated; pointers into the arena become invalid.
  public func reset() {
    state.pointee.reset()
  }

  /// Bytes handed out since the last reset.
  public var usedBytes: Int { state.pointee.usedBytes }

  /// An allocation was refused since the last reset, because the capacity was used up.
  public var isExhausted: Bool { state.pointee.isExhausted }

  /// What unpacking may still allocate before the next reset.
  var leftBytes: Int { state.pointee.leftBytes }

  /// Begins to write a message here; valid until the next reset.
  func makeWriter() -> FieldWriter { FieldWriter(state) }

  /// The allocator to give to a generated C `…__unpack`, for code that reads C messages directly.
  ///
  /// What it unpacks is valid until the next `reset()` and is not freed by itself. Keep the arena
  /// alive while the pointer is in use.
  public var allocator: UnsafeMutablePointer<ProtobufCAllocator> {
    // The allocator is the first member of the state.
    UnsafeMutableRawPointer(state).assumingMemoryBound(to: ProtobufCAllocator.self)
  }

  /// Hands out memory, 8-byte aligned and uninitialized, whatever the capacity.
  ///
  /// For messages of one's own: those are not a peer's to bound.
  public func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    state.pointee.allocate(byteCount)
  }

  /// Hands out memory for values of a C type, uninitialized, whatever the capacity.
  @inlinable
  public func allocate<T>(
    _ type: T.Type,
    count: Int = 1
  ) -> UnsafeMutablePointer<T> {
    allocate(byteCount: MemoryLayout<T>.stride * count).bindMemory(to: type, capacity: count)
  }
}
