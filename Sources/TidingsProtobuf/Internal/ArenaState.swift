internal import CProtobufC

/// What an arena keeps at a stable address, in front of its first chunk.
struct ArenaState {
  /// Chunks larger than this are not kept for the next call.
  static let chunkBytesMax = 1 << 20

  /// First, so that a pointer to the state is a pointer to the allocator.
  private var allocator: ProtobufCAllocator
  private let capacityBytes: Int
  private(set) var usedBytes = 0
  private(set) var isExhausted = false
  var leftBytes: Int { capacityBytes - usedBytes }
  private var next: UnsafeMutableRawPointer
  private var end: UnsafeMutableRawPointer
  private let firstChunk: UnsafeMutableRawPointer
  private let firstChunkEnd: UnsafeMutableRawPointer
  /// The newest of the further chunks; each begins with a pointer to the one before.
  private var furtherChunks: UnsafeMutableRawPointer?
  private var nextChunkBytes: Int

  private static var size: Int { roundedUp(MemoryLayout<ArenaState>.size) }
  private static let chunkHeaderBytes = 16

  static func make(capacityBytes: Int, firstChunkBytes: Int) -> UnsafeMutablePointer<ArenaState> {
    let chunkBytes = roundedUp(firstChunkBytes)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: size + chunkBytes, alignment: 16)
    let state = memory.bindMemory(to: ArenaState.self, capacity: 1)
    let chunk = memory + size
    state.initialize(
      to: ArenaState(
        allocator: ProtobufCAllocator(
          alloc: { ArenaState.allocate($0, $1) },
          free: { _, _ in },
          allocator_data: memory
        ),
        capacityBytes: capacityBytes,
        next: chunk,
        end: chunk + chunkBytes,
        firstChunk: chunk,
        firstChunkEnd: chunk + chunkBytes,
        nextChunkBytes: chunkBytes
      )
    )
    return state
  }

  static func destroy(_ state: UnsafeMutablePointer<ArenaState>) {
    state.pointee.releaseFurtherChunks()
    state.deinitialize(count: 1)
    UnsafeMutableRawPointer(state).deallocate()
  }

  mutating func reset() {
    if furtherChunks != nil { releaseFurtherChunks() }
    next = firstChunk
    end = firstChunkEnd
    nextChunkBytes = firstChunkEnd - firstChunk
    usedBytes = 0
    isExhausted = false
  }

  mutating func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
    let size = Self.roundedUp(byteCount)
    if size > end - next { addChunk(atLeast: size) }
    let result = next
    next += size
    usedBytes += size
    return result
  }

  /// What protobuf-c calls: bounded, since a peer's bytes decide how much.
  private static func allocate(
    _ state: UnsafeMutableRawPointer?,
    _ byteCount: Int
  ) -> UnsafeMutableRawPointer? {
    guard let state = state?.assumingMemoryBound(to: ArenaState.self) else { return nil }
    guard byteCount >= 0, byteCount <= state.pointee.capacityBytes - state.pointee.usedBytes else {
      state.pointee.isExhausted = true
      return nil
    }
    return state.pointee.allocate(byteCount)
  }

  private mutating func addChunk(atLeast size: Int) {
    nextChunkBytes = min(nextChunkBytes << 1, Self.chunkBytesMax)
    let chunkBytes = max(size, nextChunkBytes)
    let chunk = UnsafeMutableRawPointer.allocate(
      byteCount: Self.chunkHeaderBytes + chunkBytes,
      alignment: 16
    )
    chunk.storeBytes(of: furtherChunks, as: UnsafeMutableRawPointer?.self)
    furtherChunks = chunk
    next = chunk + Self.chunkHeaderBytes
    end = next + chunkBytes
  }

  private mutating func releaseFurtherChunks() {
    while let chunk = furtherChunks {
      furtherChunks = chunk.load(as: UnsafeMutableRawPointer?.self)
      chunk.deallocate()
    }
  }

  private static func roundedUp(_ byteCount: Int) -> Int { (byteCount + 7) & ~7 }
}
