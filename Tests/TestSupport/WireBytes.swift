/// Protobuf bytes written by hand, for messages that no generated type can express.
public struct WireBytes: Sendable {
  public private(set) var bytes: [UInt8] = []

  public init() {}

  public func varint(_ field: Int, _ value: UInt64) -> Self {
    appending(field, 0, Self.varint(value))
  }

  public func fixed64(_ field: Int, _ value: UInt64) -> Self {
    appending(field, 1, (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
  }

  public func field(_ field: Int, _ content: [UInt8]) -> Self {
    appending(field, 2, Self.varint(UInt64(content.count)) + content)
  }

  public func field(_ field: Int, _ text: String) -> Self { self.field(field, Array(text.utf8)) }

  public func field(_ field: Int, _ message: Self) -> Self { self.field(field, message.bytes) }

  private func appending(_ field: Int, _ type: UInt64, _ content: [UInt8]) -> Self {
    var copy = self
    copy.bytes += Self.varint(UInt64(field) << 3 | type) + content
    return copy
  }

  private static func varint(_ value: UInt64) -> [UInt8] {
    var (rest, bytes) = (value, [] as [UInt8])
    while rest > 0x7f {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
