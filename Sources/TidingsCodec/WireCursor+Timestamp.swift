package import TidingsModel
internal import TidingsProto
package import TidingsWire

extension WireWriter {
  /// Adds a `google.protobuf.Timestamp`.
  package mutating func add(_ field: Int, _ time: Timestamp) { add(field, Self.bytes(of: time)) }

  /// The bytes of a `google.protobuf.Timestamp`.
  package static func bytes(of time: Timestamp) -> [UInt8] {
    WireCursor.bytes(atMost: 2 * WireCursor.fieldBytesMax) { $0.addMembers(of: time) }
  }
}

extension WireCursor {
  /// Adds a `google.protobuf.Timestamp`.
  mutating func add(_ field: Int, _ time: Timestamp) {
    addMessage(field) { $0.addMembers(of: time) }
  }

  fileprivate mutating func addMembers(of time: Timestamp) {
    typealias Field = GoogleProtobuf.Timestamp.FieldNumber
    if time.seconds != 0 { add(Field.seconds, varint: UInt64(bitPattern: time.seconds)) }
    if time.nanoseconds != 0 {
      add(Field.nanos, varint: UInt64(bitPattern: Int64(time.nanoseconds)))
    }
  }
}
