/// One value on protobuf's wire, without its meaning.
enum WireValue {
  case varint(UInt64)
  case fixed64(UInt64)
  case fixed32(UInt32)
  case bytes(ArraySlice<UInt8>)
  /// Of a proto2 group; the JSON mapping leaves groups out.
  case group
}

/// Bytes that are not protobuf.
struct WireError: Error {}

/// Reads the fields of one encoded message.
struct WireReader {
  private static let groupDepthMax = 64
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  /// The next field; `nil` at the end.
  mutating func next() throws(WireError) -> (number: Int, value: WireValue)? {
    guard !rest.isEmpty else { return nil }
    let (number, wireType) = try tag()
    guard wireType != 4 else { throw WireError() }
    return (number, try value(of: number, wireType, depth: 0))
  }

  mutating func varint() throws(WireError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard let byte = rest.popFirst() else { throw WireError() }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw WireError()
  }

  mutating func fixed32() throws(WireError) -> UInt32 { try fixed(UInt32.self) }
  mutating func fixed64() throws(WireError) -> UInt64 { try fixed(UInt64.self) }

  private mutating func tag() throws(WireError) -> (Int, UInt64) {
    let tag = try varint()
    guard tag >> 3 > 0, tag >> 3 < 1 << 29 else { throw WireError() }
    return (Int(tag >> 3), tag & 7)
  }

  private mutating func value(
    of number: Int,
    _ wireType: UInt64,
    depth: Int
  ) throws(WireError) -> WireValue {
    switch wireType {
    case 0: return .varint(try varint())
    case 1: return .fixed64(try fixed64())
    case 5: return .fixed32(try fixed32())
    case 2:
      let count = try varint()
      guard count <= UInt64(rest.count) else { throw WireError() }
      let bytes = rest.prefix(Int(count))
      rest = rest.dropFirst(Int(count))
      return .bytes(bytes)
    case 3:
      guard depth < Self.groupDepthMax else { throw WireError() }
      while true {
        let (inner, innerType) = try tag()
        if innerType == 4 {
          guard inner == number else { throw WireError() }
          return .group
        }
        _ = try value(of: inner, innerType, depth: depth + 1)
      }
    default: throw WireError()
    }
  }

  private mutating func fixed<T: FixedWidthInteger>(_ type: T.Type) throws(WireError) -> T {
    let count = MemoryLayout<T>.size
    guard rest.count >= count else { throw WireError() }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count).reversed().reduce(0) { $0 << 8 | T($1) }
  }
}
