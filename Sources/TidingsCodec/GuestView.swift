internal import TidingsProto
package import TidingsProtobuf

/// What callers without an account see of a record: not from which devices it was written.
package enum GuestView {
  /// A record of more bytes is decoded in memory of its own.
  private static let ownArenaBytesMin = 4 << 10

  /// An encoded record without the names of devices.
  package static func record(
    _ body: UnsafeRawBufferPointer,
    in arena: borrowing Arena
  ) throws -> [UInt8] {
    // Many large ones do not fit into the call's memory together.
    guard body.count <= ownArenaBytesMin else { return try shown(body, in: Arena()) }
    return try shown(body, in: arena)
  }

  private static func shown(
    _ body: UnsafeRawBufferPointer,
    in arena: borrowing Arena
  ) throws -> [UInt8] {
    var record = try storedMessage("record") {
      try TidingsV1.Record(decoding: body.bytes, in: arena)
    }
    record.created?.deviceID = ""
    record.modified?.deviceID = ""
    return record.encoded(in: arena)
  }
}
