/// Writes the fields of one message in protobuf's wire format.
///
/// An embedded message, a string and bytes have the same form, so what is encoded already is spliced in
/// without being decoded.
public struct WireWriter: Sendable {
  /// The message so far.
  public var bytes: [UInt8] = []

  /// An empty message, with room for so many bytes.
  @inlinable
  public init(capacity: Int = 0) {
    if capacity > 0 { bytes.reserveCapacity(capacity) }
  }

  // MARK: Fields

  /// Adds an integer of variable length.
  @inlinable
  public mutating func add(_ field: Int, varint value: UInt64) {
    tag(field, .varint)
    varint(value)
  }

  /// Adds a number of 8 bytes.
  @inlinable
  public mutating func add(_ field: Int, fixed64 value: UInt64) {
    tag(field, .fixed64)
    fixed(value)
  }

  /// Adds a message, a string or bytes.
  @inlinable
  public mutating func add(_ field: Int, _ content: some Collection<UInt8>) {
    addHead(field, bytes: content.count)
    bytes += content
  }

  /// Adds a message, a string or bytes from memory.
  @inlinable
  public mutating func add(_ field: Int, _ content: UnsafeRawBufferPointer) {
    addHead(field, bytes: content.count)
    bytes += content
  }

  /// Adds bytes that are made of two parts and changed in place.
  @inlinable
  public mutating func add(
    _ field: Int,
    _ first: [UInt8],
    then second: [UInt8],
    _ change: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    addHead(field, bytes: first.count + second.count)
    let start = bytes.count
    bytes += first
    bytes += second
    bytes.withUnsafeMutableBytes { change(UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
  }

  /// Begins a message, a string or bytes; so many bytes follow.
  @inlinable
  public mutating func addHead(_ field: Int, bytes count: Int) {
    tag(field, .delimited)
    varint(UInt64(count))
  }

  /// Adds what is encoded already, as it is.
  @inlinable
  public mutating func append(_ encoded: some Sequence<UInt8>) { bytes += encoded }

  // MARK: Parts of fields

  /// Adds the number of a field and the form of its value, which follows.
  @inlinable
  public mutating func tag(_ field: Int, _ type: WireType) {
    varint(UInt64(field) << 3 | type.rawValue)
  }

  /// Adds an integer of variable length, seven bits to a byte, the lowest first.
  @inlinable
  public mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Adds a number of fixed length.
  @inlinable
  public mutating func fixed(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
  }

  /// Adds a length and that many bytes.
  @inlinable
  public mutating func delimited(_ content: some Collection<UInt8>) {
    varint(UInt64(content.count))
    bytes += content
  }

  /// Removes all fields, and keeps the room.
  @inlinable
  public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}
