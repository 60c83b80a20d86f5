/// Memory for C structs, released with the object.
final class CMemory {
  private var allocations: [UnsafeMutableRawPointer] = []

  deinit {
    for allocation in allocations { allocation.deallocate() }
  }

  /// Uninitialized room.
  func allocate<T: BitwiseCopyable>(_ type: T.Type, count: Int = 1) -> UnsafeMutablePointer<T> {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: max(MemoryLayout<T>.stride * count, 1),
      alignment: 16
    )
    allocations.append(memory)
    return memory.bindMemory(to: type, capacity: count)
  }

  /// A copy of a string that ends with U+0000.
  func copy(_ text: String) -> UnsafeMutablePointer<CChar> {
    let characters = text.utf8CString
    let copy = allocate(CChar.self, count: characters.count)
    for (index, character) in characters.enumerated() { copy[index] = character }
    return copy
  }

  /// A copy of bytes.
  func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<UInt8> {
    let copy = allocate(UInt8.self, count: bytes.count)
    for (index, byte) in bytes.enumerated() { copy[index] = byte }
    return copy
  }
}
