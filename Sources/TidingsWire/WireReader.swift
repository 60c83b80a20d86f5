/// A value on the wire, without its meaning.
@frozen
public enum WireValue<Bytes> {
  /// An integer of variable length.
  case varint(UInt64)
  /// 8 bytes.
  case fixed64(UInt64)
  /// 4 bytes.
  case fixed32(UInt32)
  /// A message, a string, bytes or packed numbers.
  case bytes(Bytes)
  /// Of a proto2 group, which is skipped.
  case group
}

/// Bytes that are not protobuf.
public struct WireError: Error {
  /// Bytes that are not protobuf.
  @inlinable public init() {}
}

/// Reads the fields of one message in protobuf's wire format.
///
/// It never reads beyond its bytes, whatever they are.
@frozen
public struct WireReader<Bytes: RandomAccessCollection>
where Bytes.Element == UInt8, Bytes.SubSequence == Bytes {
  @inlinable static var groupDepthMax: Int { 64 }
  /// What is not read yet.
  public var rest: Bytes

  /// A reader of an encoded message.
  @inlinable
  public init(_ bytes: Bytes) { rest = bytes }

  /// All is read.
  @inlinable public var isAtEnd: Bool { rest.isEmpty }

  /// Reads the next field; `nil` at the end.
  @inlinable
  public mutating func next() throws(WireError) -> (field: Int, value: WireValue<Bytes>)? {
    guard !rest.isEmpty else { return nil }
    let (field, type) = try tag()
    guard type != .groupEnd else { throw WireError() }
    return (field, try value(of: field, type, depth: 0))
  }

  /// Reads the next field, if its value has a length; `nil`: there is none, or it has another form.
  @inlinable
  public mutating func nextDelimited() -> (field: Int, content: Bytes)? {
    guard let (field, value) = try? next(), case .bytes(let content) = value else { return nil }
    return (field, content)
  }

  /// Reads an integer of variable length.
  @inlinable
  public mutating func varint() throws(WireError) -> UInt64 {
    // Most are of one byte.
    if let first = rest.first, first < 0x80 {
      rest = rest[rest.index(after: rest.startIndex)...]
      return UInt64(first)
    }
    var (value, shift) = (UInt64(0), UInt64(0))
    while shift < 64, let byte = rest.popFirst() {
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw WireError()
  }

  /// Reads a number of 4 bytes.
  @inlinable
  public mutating func fixed32() throws(WireError) -> UInt32 { try fixed(UInt32.self) }

  /// Reads a number of 8 bytes.
  @inlinable
  public mutating func fixed64() throws(WireError) -> UInt64 { try fixed(UInt64.self) }

  /// Reads a length and that many bytes.
  @inlinable
  public mutating func delimited() throws(WireError) -> Bytes {
    let count = try varint()
    guard count <= UInt64(rest.count) else { throw WireError() }
    let end = rest.index(rest.startIndex, offsetBy: Int(count))
    let content = rest[..<end]
    rest = rest[end...]
    return content
  }

  /// Reads the number of a field and the form of its value.
  @inlinable
  public mutating func tag() throws(WireError) -> (Int, WireType) {
    let tag = try varint()
    guard tag >> 3 > 0, tag >> 3 < 1 << 29, let type = WireType(rawValue: tag & 7) else {
      throw WireError()
    }
    return (Int(tag >> 3), type)
  }

  /// Skips the value of a field.
  @inlinable
  public mutating func skip(_ field: Int, _ type: WireType) throws(WireError) {
    _ = try value(of: field, type, depth: 0)
  }

  @inlinable
  mutating func value(
    of field: Int,
    _ type: WireType,
    depth: Int
  ) throws(WireError) -> WireValue<Bytes> {
    switch type {
    case .varint: return .varint(try varint())
    case .fixed64: return .fixed64(try fixed64())
    case .fixed32: return .fixed32(try fixed32())
    case .delimited: return .bytes(try delimited())
    case .groupStart:
      try skipGroup(field, depth: depth)
      return .group
    case .groupEnd: throw WireError()
    }
  }

  /// Apart, so that what reads all else is small.
  @inlinable
  @inline(never)
  mutating func skipGroup(_ field: Int, depth: Int) throws(WireError) {
    guard depth < Self.groupDepthMax else { throw WireError() }
    while true {
      let (inner, innerType) = try tag()
      if innerType == .groupEnd {
        guard inner == field else { throw WireError() }
        return
      }
      _ = try value(of: inner, innerType, depth: depth + 1)
    }
  }

  @inlinable
  mutating func fixed<T: FixedWidthInteger>(_ type: T.Type) throws(WireError) -> T {
    let count = MemoryLayout<T>.size
    guard rest.count >= count else { throw WireError() }
    let end = rest.index(rest.startIndex, offsetBy: count)
    defer { rest = rest[end...] }
    return rest[..<end].reversed().reduce(0) { $0 << 8 | T($1) }
  }
}

extension WireReader: Sendable where Bytes: Sendable {}
extension WireValue: Sendable where Bytes: Sendable {}
