/// Names a connection; no two connections of a process have the same.
///
/// It is in the routing id that a connection is assigned, so that an answer can reach no other
/// connection than the caller's.
struct ConnectionNumber: Hashable, Comparable, Sendable {
  /// 1 to 2^48 - 1.
  let value: UInt64

  /// The first byte of the ids; libzmq's own begin with 0.
  static let tag: UInt8 = 1
  /// The tag, and the number in 6 bytes, little-endian.
  static let routingIDBytes = 7

  init(_ value: UInt64) {
    precondition(value >> 48 == 0, "there are no connection numbers left")
    self.value = value
  }

  /// The number in a routing id; `nil` when the id was not assigned.
  init?(routingID: UnsafeRawBufferPointer) {
    guard routingID.count == Self.routingIDBytes, routingID[0] == Self.tag else { return nil }
    // Two loads, which overlap in one byte: the id is one short of a word.
    let low = UInt32(littleEndian: routingID.loadUnaligned(as: UInt32.self))
    let high = UInt32(littleEndian: routingID.loadUnaligned(fromByteOffset: 3, as: UInt32.self))
    value = UInt64(low) >> 8 | UInt64(high) << 16
  }

  /// The routing id in the low 7 bytes of a word, the first one lowest.
  var routingWord: UInt64 { value << 8 | UInt64(Self.tag) }

  /// The routing id of the connection.
  var routingID: [UInt8] {
    withUnsafeBytes(of: routingWord.littleEndian) { Array($0.prefix(Self.routingIDBytes)) }
  }

  static func < (a: Self, b: Self) -> Bool { a.value < b.value }
}
