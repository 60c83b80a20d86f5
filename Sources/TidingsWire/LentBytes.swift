/// Bytes in memory that somebody else has, valid for as long as they are lent.
///
/// A collection that is its own slice: to read on is to move a pointer.
@frozen
public struct LentBytes: RandomAccessCollection {
  @usableFromInline let start: UnsafePointer<UInt8>
  @usableFromInline let end: UnsafePointer<UInt8>

  @usableFromInline
  init(start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) {
    (self.start, self.end) = (start, end)
  }

  /// Some memory; `nil` for an address that is none.
  @inlinable
  public init?(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
    (self.start, end) = (start, start + bytes.count)
  }

  /// The memory.
  @inlinable public var raw: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: end - start)
  }

  @inlinable public var startIndex: UnsafePointer<UInt8> { start }
  @inlinable public var endIndex: UnsafePointer<UInt8> { end }
  @inlinable public var count: Int { end - start }

  @inlinable
  public subscript(position: UnsafePointer<UInt8>) -> UInt8 {
    precondition(position >= start && position < end, "a byte of these")
    return position.pointee
  }

  @inlinable
  public subscript(bounds: Range<UnsafePointer<UInt8>>) -> LentBytes {
    precondition(bounds.lowerBound >= start && bounds.upperBound <= end, "a part of these bytes")
    return LentBytes(start: bounds.lowerBound, end: bounds.upperBound)
  }

  @inlinable
  public func index(after position: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> { position + 1 }
  @inlinable
  public func index(before position: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> { position - 1 }
  @inlinable
  public func index(
    _ position: UnsafePointer<UInt8>,
    offsetBy distance: Int
  ) -> UnsafePointer<UInt8> {
    position + distance
  }
  @inlinable
  public func distance(from a: UnsafePointer<UInt8>, to b: UnsafePointer<UInt8>) -> Int { b - a }

  @inlinable
  public func withContiguousStorageIfAvailable<R>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> R
  ) rethrows -> R? {
    try body(UnsafeBufferPointer(start: start, count: count))
  }
}
