#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

extension LentBytes {
  /// Whether all bytes are below 128.
  public var isASCII: Bool {
    let highBits: UInt64 = 0x8080_8080_8080_8080
    let bytes = UnsafeRawPointer(start)
    var position = 0
    while position + 8 <= count {
      if bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self) & highBits != 0 {
        return false
      }
      position += 8
    }
    while position < count {
      if start[position] >= 0x80 { return false }
      position += 1
    }
    return true
  }

  /// Whether both have the same bytes.
  public func isEqual(to other: LentBytes) -> Bool {
    count == other.count && memcmp(start, other.start, count) == 0
  }

  /// Whether these bytes come before others, in the order of UTF-8.
  public func precedes(_ other: LentBytes) -> Bool {
    let order = memcmp(start, other.start, Swift.min(count, other.count))
    return order < 0 || (order == 0 && count < other.count)
  }
}
