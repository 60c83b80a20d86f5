/// Writes the fields of a message into an arena, for generated code.
///
/// Each value follows its tag. A message, a string and a list have their length in front, which most often has
/// one byte: it is left open, and the content moves if it was not enough.
@frozen
public struct FieldWriter {
  @usableFromInline var start: UnsafeMutablePointer<UInt8>
  @usableFromInline var next: UnsafeMutablePointer<UInt8>
  @usableFromInline var end: UnsafeMutablePointer<UInt8>
  /// The arena's state, a type of this module.
  @usableFromInline let arena: UnsafeMutableRawPointer

  private static let firstBytes = 1024

  /// Begins a message; the arena must outlive the writer, and not be reset meanwhile.
  init(_ arena: UnsafeMutablePointer<ArenaState>) {
    self.arena = UnsafeMutableRawPointer(arena)
    start = Self.memory(Self.firstBytes, in: arena)
    (next, end) = (start, start + Self.firstBytes)
  }

  /// What was written.
  var bytes: [UInt8] { [UInt8](UnsafeBufferPointer(start: start, count: next - start)) }

  // MARK: Numbers

  /// The number of a field and the form of its value, as on the wire.
  @inlinable
  public mutating func tag(_ tag: UInt32) { uint64(UInt64(tag)) }

  /// A `uint64`: seven bits to a byte, the lowest first.
  @inlinable
  public mutating func uint64(_ value: UInt64) {
    reserve(10)
    var rest = value
    while rest >= 0x80 {
      next.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
      next += 1
      rest >>= 7
    }
    next.pointee = UInt8(truncatingIfNeeded: rest)
    next += 1
  }

  /// An `int64`.
  @inlinable
  public mutating func int64(_ value: Int64) { uint64(UInt64(bitPattern: value)) }

  /// A `uint32`.
  @inlinable
  public mutating func uint32(_ value: UInt32) { uint64(UInt64(value)) }

  /// An `int32`, or the number of an enum's value.
  @inlinable
  public mutating func int32(_ value: Int32) { int64(Int64(value)) }

  /// An `sint64`.
  @inlinable
  public mutating func sint64(_ value: Int64) {
    uint64(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  /// An `sint32`.
  @inlinable
  public mutating func sint32(_ value: Int32) {
    uint32(UInt32(bitPattern: value << 1 ^ value >> 31))
  }

  /// A `bool`.
  @inlinable
  public mutating func bool(_ value: Bool) { uint64(value ? 1 : 0) }

  /// A `fixed64`.
  @inlinable
  public mutating func fixed64(_ value: UInt64) { fixed(value.littleEndian) }

  /// An `sfixed64`.
  @inlinable
  public mutating func sfixed64(_ value: Int64) { fixed(value.littleEndian) }

  /// A `double`.
  @inlinable
  public mutating func double(_ value: Double) { fixed64(value.bitPattern) }

  /// A `fixed32`.
  @inlinable
  public mutating func fixed32(_ value: UInt32) { fixed(value.littleEndian) }

  /// An `sfixed32`.
  @inlinable
  public mutating func sfixed32(_ value: Int32) { fixed(value.littleEndian) }

  /// A `float`.
  @inlinable
  public mutating func float(_ value: Float) { fixed32(value.bitPattern) }

  @inlinable
  mutating func fixed<T: FixedWidthInteger>(_ value: T) {
    reserve(MemoryLayout<T>.size)
    UnsafeMutableRawPointer(next).storeBytes(of: value, as: T.self)
    next += MemoryLayout<T>.size
  }

  // MARK: What has a length

  /// A `string`.
  @inlinable
  public mutating func string(_ value: String) {
    var value = value
    value.withUTF8 { content(UnsafeRawBufferPointer($0)) }
  }

  /// A `bytes`.
  @inlinable
  public mutating func bytes(_ value: [UInt8]) { value.withUnsafeBytes { content($0) } }

  /// A message.
  @inlinable
  public mutating func message(_ value: some GeneratedMessage) {
    let length = begin()
    value.writeFields(to: &self)
    finish(length)
  }

  /// Begins what has a length: a list of numbers, or an entry of a map.
  ///
  /// - Returns: Where its length is to be; for `finish`.
  @inlinable
  public mutating func begin() -> Int {
    reserve(1)
    next += 1
    return next - start
  }

  /// Ends what `begin` has begun.
  @inlinable
  public mutating func finish(_ length: Int) {
    let count = next - start - length
    if count < 0x80 {
      start[length - 1] = UInt8(truncatingIfNeeded: count)
    } else {
      insert(count, at: length)
    }
  }

  @usableFromInline
  mutating func content(_ content: UnsafeRawBufferPointer) {
    uint64(UInt64(content.count))
    guard let source = content.baseAddress else { return }
    reserve(content.count)
    UnsafeMutableRawPointer(next).copyMemory(from: source, byteCount: content.count)
    next += content.count
  }

  /// Writes a length that needs more than the one byte that was left for it.
  @usableFromInline
  mutating func insert(_ count: Int, at length: Int) {
    let added = (Int.bitWidth - count.leadingZeroBitCount + 6) / 7 - 1
    reserve(added)
    let content = start + length
    UnsafeMutableRawPointer(content + added).copyMemory(from: content, byteCount: count)
    next = content - 1
    uint64(UInt64(count))
    next += count
  }

  @inlinable
  mutating func reserve(_ count: Int) {
    if count > end - next { grow(count) }
  }

  @usableFromInline
  mutating func grow(_ count: Int) {
    let used = next - start
    let capacity = max((end - start) << 1, used + count)
    let larger = Self.memory(capacity, in: arena.assumingMemoryBound(to: ArenaState.self))
    larger.update(from: start, count: used)
    (start, next, end) = (larger, larger + used, larger + capacity)
  }

  private static func memory(
    _ count: Int,
    in arena: UnsafeMutablePointer<ArenaState>
  ) -> UnsafeMutablePointer<UInt8> {
    arena.pointee.allocate(count).bindMemory(to: UInt8.self, capacity: count)
  }
}

extension Dictionary where Key: Comparable {
  /// Where the entries are in the order in which a map is encoded, for generated code: that of their keys.
  ///
  /// Positions and not entries, which would be copied again and again while they are sorted.
  @inlinable public var encodingOrder: [Index] { indices.sorted { keys[$0] < keys[$1] } }
}

extension Dictionary where Key == String {
  /// Where the entries are in the order in which a map is encoded: that of their keys' bytes.
  @inlinable public var encodingOrder: [Index] {
    // Most names differ in their first bytes, and to compare texts is slow.
    var order = indices.map { (head: keys[$0].firstBytes, index: $0) }
    order.sort { a, b in
      guard a.head == b.head else { return a.head < b.head }
      return keys[a.index].utf8.lexicographicallyPrecedes(keys[b.index].utf8)
    }
    return order.map(\.index)
  }
}

extension String {
  /// The first eight bytes, of which the first counts most; zeros where it has fewer.
  @usableFromInline var firstBytes: UInt64 {
    var text = self
    return text.withUTF8 { bytes in
      var word: UInt64 = 0
      withUnsafeMutableBytes(of: &word) { $0.copyBytes(from: bytes.prefix(8)) }
      return UInt64(bigEndian: word)
    }
  }
}

extension Dictionary where Key == Bool {
  /// Where the entries are in the order in which a map is encoded: false first.
  @inlinable public var encodingOrder: [Index] { indices.sorted { !keys[$0] && keys[$1] } }
}
