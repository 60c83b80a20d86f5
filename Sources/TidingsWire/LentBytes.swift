/// Bytes in memory that somebody else has, valid for as long as they are lent.
///
/// A collection that is its own slice: to read on is to move a pointer.
@frozen
public struct LentBytes: RandomAccessCollection {
  @usableFromInline let start: UnsafePointer<UInt8>
  @usableFromInline let end: UnsafePointer<UInt8>

  @inlinable
  init(start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) {
    (self.start, self.end) = (start, end)
  }

  /// Some memory; `nil` for an address that is none.
  @inlinable
  public init?(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
    (self.start, end) = (start, start + bytes.count)
  }

  /// The memory between two addresses.
  @inlinable
  public init(_ bounds: Range<UnsafePointer<UInt8>>) {
    (start, end) = (bounds.lowerBound, bounds.upperBound)
  }

  /// The memory.
  @inlinable public var raw: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: end - start)
  }

  /// Whether these are the bytes at the start.
  ///
  /// Compares words, the last of which may overlap the one before: a call of `memcmp` takes longer for a name.
  @inlinable
  public func begins(with head: LentBytes) -> Bool {
    let count = head.count
    guard count <= self.count else { return false }
    let (a, b) = (UnsafeRawPointer(start), UnsafeRawPointer(head.start))
    func same<Word: FixedWidthInteger>(_ type: Word.Type, at offset: Int) -> Bool {
      a.loadUnaligned(fromByteOffset: offset, as: Word.self)
        == b.loadUnaligned(fromByteOffset: offset, as: Word.self)
    }
    if count >= 8 {
      for offset in stride(from: 0, to: count - 8, by: 8) where !same(UInt64.self, at: offset) {
        return false
      }
      return same(UInt64.self, at: count - 8)
    }
    if count >= 4 { return same(UInt32.self, at: 0) && same(UInt32.self, at: count - 4) }
    return (0..<count).allSatisfy { same(UInt8.self, at: $0) }
  }

  /// The address of the first byte.
  @inlinable public var startIndex: UnsafePointer<UInt8> { start }
  /// The address after the last byte.
  @inlinable public var endIndex: UnsafePointer<UInt8> { end }
  /// How many bytes.
  @inlinable public var count: Int { end - start }

  /// The byte at an address.
  @inlinable
  public subscript(position: UnsafePointer<UInt8>) -> UInt8 {
    precondition(position >= start && position < end, "a byte of these")
    return position.pointee
  }

  /// A part, in the same memory.
  @inlinable
  public subscript(bounds: Range<UnsafePointer<UInt8>>) -> LentBytes {
    precondition(bounds.lowerBound >= start && bounds.upperBound <= end, "a part of these bytes")
    return LentBytes(start: bounds.lowerBound, end: bounds.upperBound)
  }

  /// The next address.
  @inlinable
  public func index(after position: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> { position + 1 }
  /// The address before.
  @inlinable
  public func index(before position: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> { position - 1 }
  /// An address so many bytes further.
  @inlinable
  public func index(
    _ position: UnsafePointer<UInt8>,
    offsetBy distance: Int
  ) -> UnsafePointer<UInt8> {
    position + distance
  }
  /// How many bytes lie between two addresses.
  @inlinable
  public func distance(from a: UnsafePointer<UInt8>, to b: UnsafePointer<UInt8>) -> Int { b - a }

  /// Lends the memory itself.
  @inlinable
  public func withContiguousStorageIfAvailable<R>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> R
  ) rethrows -> R? {
    try body(UnsafeBufferPointer(start: start, count: count))
  }
}
