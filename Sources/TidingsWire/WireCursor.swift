/// Writes fields into memory that was made large enough, one after the other: what is on the way of every call.
///
/// It never writes beyond its memory: who made it too small stops the program.
@frozen
public struct WireCursor {
  @usableFromInline let start: UnsafeMutablePointer<UInt8>
  @usableFromInline let end: UnsafeMutablePointer<UInt8>
  @usableFromInline var next: UnsafeMutablePointer<UInt8>

  /// At most what the number of a field and the length of its content take, or a number of it.
  @inlinable public static var fieldBytesMax: Int { 15 }

  /// Begins to write into memory.
  @inlinable
  public init(_ memory: UnsafeMutableBufferPointer<UInt8>) {
    guard let start = memory.baseAddress else { preconditionFailure("memory to write into") }
    (self.start, end, next) = (start, start + memory.count, start)
  }

  /// Bytes that are written.
  @inlinable public var count: Int { next - start }

  /// The bytes that a closure writes, at most so many.
  @inlinable
  public static func bytes(atMost count: Int, _ write: (inout WireCursor) -> Void) -> [UInt8] {
    // Written apart and copied: memory of the exact size is made faster than a larger one is left in part.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(count, 1)) { memory in
      var cursor = WireCursor(memory)
      write(&cursor)
      return [UInt8](UnsafeBufferPointer(start: memory.baseAddress, count: cursor.count))
    }
  }

  @inlinable
  @inline(__always)
  mutating func claim(_ count: Int) {
    precondition(count <= end - next, "the memory for a message is large enough")
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

  /// Adds a message, a string or bytes from memory.
  @inlinable
  public mutating func add(_ field: Int, _ content: UnsafeRawBufferPointer) {
    addHead(field, bytes: content.count)
    append(content)
  }

  /// Adds bytes.
  @inlinable
  public mutating func add(_ field: Int, _ content: [UInt8]) {
    content.withUnsafeBytes { add(field, $0) }
  }

  /// Adds a string.
  @inlinable
  public mutating func add(_ field: Int, _ text: String) {
    var text = text
    text.withUTF8 { add(field, UnsafeRawBufferPointer($0)) }
  }

  /// Adds a string, unless it is empty: so it is left out of a message.
  @inlinable
  public mutating func add(_ field: Int, ifNotEmpty text: String) {
    if !text.isEmpty { add(field, text) }
  }

  /// Adds a message that a closure writes.
  ///
  /// Most messages are shorter than 128 bytes, so that their length has one byte: a longer one moves.
  @inlinable
  @inline(__always)
  public mutating func addMessage(_ field: Int, _ write: (inout WireCursor) -> Void) {
    tag(field, .delimited)
    claim(1)
    let length = next
    next += 1
    write(&self)
    let count = next - length - 1
    if count < 0x80 {
      length.pointee = UInt8(truncatingIfNeeded: count)
    } else {
      insert(count, at: length)
    }
  }

  /// Begins a message, a string or bytes; so many bytes follow.
  @inlinable
  public mutating func addHead(_ field: Int, bytes count: Int) {
    tag(field, .delimited)
    varint(UInt64(count))
  }

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
    claim(WireSize.varint(value))
    while rest >= 0x80 {
      next.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
      next += 1
      rest >>= 7
    }
    next.pointee = UInt8(truncatingIfNeeded: rest)
    next += 1
  }

  /// Adds a number of fixed length.
  @inlinable
  public mutating func fixed(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { append($0) }
  }

  /// Adds what is encoded already, as it is.
  @inlinable
  public mutating func append(_ encoded: UnsafeRawBufferPointer) {
    guard let source = encoded.baseAddress else { return }
    claim(encoded.count)
    UnsafeMutableRawPointer(next).copyMemory(from: source, byteCount: encoded.count)
    next += encoded.count
  }

  /// Writes the length of what was written after the one byte that was left for it.
  @usableFromInline
  mutating func insert(_ count: Int, at length: UnsafeMutablePointer<UInt8>) {
    let added = WireSize.varint(UInt64(count)) - 1
    claim(added)
    UnsafeMutableRawPointer(length + 1 + added).copyMemory(from: length + 1, byteCount: count)
    next = length
    varint(UInt64(count))
    next += count
  }
}
