internal import TidingsWire

/// Protobuf bytes written by hand, for messages that no generated type can express.
public struct WireBytes: Sendable {
  private var writer = WireWriter()

  public init() {}

  public var bytes: [UInt8] { writer.bytes }

  public func varint(_ field: Int, _ value: UInt64) -> Self {
    adding { $0.add(field, varint: value) }
  }

  public func fixed64(_ field: Int, _ value: UInt64) -> Self {
    adding { $0.add(field, fixed64: value) }
  }

  public func field(_ field: Int, _ content: [UInt8]) -> Self {
    adding { $0.add(field, content) }
  }

  public func field(_ field: Int, _ text: String) -> Self { self.field(field, Array(text.utf8)) }

  public func field(_ field: Int, _ message: Self) -> Self { self.field(field, message.bytes) }

  private func adding(_ add: (inout WireWriter) -> Void) -> Self {
    var copy = self
    add(&copy.writer)
    return copy
  }
}
