package import TidingsModel
internal import TidingsProto
package import TidingsWire

extension WireWriter {
  /// Adds a `google.protobuf.Timestamp`.
  package mutating func add(_ field: Int, _ time: Timestamp) {
    add(field, Self.bytes(of: time))
  }

  /// The bytes of a `google.protobuf.Timestamp`.
  package static func bytes(of time: Timestamp) -> [UInt8] {
    typealias Field = GoogleProtobuf.Timestamp.FieldNumber
    var message = WireWriter(capacity: 16)
    message.add(Field.seconds, varint: UInt64(bitPattern: time.seconds))
    message.add(Field.nanos, varint: UInt64(bitPattern: Int64(time.nanoseconds)))
    return message.bytes
  }
}
