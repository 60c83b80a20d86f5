/// The frames before a request's header: the way back to its client.
///
/// The two common forms, DEALER's and REQ's with a routing id that was assigned, fit into a word
/// and cost no allocation.
enum Envelope: Hashable, Sendable {
  /// Lowest byte: the routing id's length, plus 0x80 if an empty delimiter follows; then the id.
  case short(UInt64)
  /// Each frame after its length (4 bytes, native order).
  case frames([UInt8])

  private static let delimiterFlag: UInt64 = 0x80

  /// The first `count` frames of a message from a connection, whose routing id is the first of them.
  init(_ frames: borrowing FrameSet, count: Int, from connection: ConnectionNumber) {
    let hasDelimiter = count == 2 && frames[1].isEmpty
    if count == 1 || hasDelimiter {
      let length = UInt64(ConnectionNumber.routingIDBytes)
      self = .short(
        connection.routingWord << 8 | length | (hasDelimiter ? Self.delimiterFlag : 0)
      )
    } else {
      var bytes: [UInt8] = []
      for index in 0..<count { Self.append(frames[index], to: &bytes) }
      self = .frames(bytes)
    }
  }

  /// The connection, whatever proxies or delimiters follow; `nil`: the routing id was not assigned.
  var connection: ConnectionNumber? {
    switch self {
    case .short(let word):
      let isAssigned =
        word & 0x7f == UInt64(ConnectionNumber.routingIDBytes)
        && word >> 8 & 0xff == UInt64(ConnectionNumber.tag)
      return isAssigned ? ConnectionNumber(word >> 16) : nil
    case .frames(let bytes):
      return bytes.withUnsafeBytes { bytes in
        let length = Int(bytes.loadUnaligned(as: UInt32.self))
        return ConnectionNumber(routingID: UnsafeRawBufferPointer(rebasing: bytes[4..<4 + length]))
      }
    }
  }

  /// Sends the envelope's frames; more are to follow.
  ///
  /// The peer's queue has room or has not when the first frame is sent; the others follow it.
  func send(on socket: borrowing Socket) -> Socket.Sending {
    switch self {
    case .short(let word):
      let length = Int(word & 0x7f)
      let outcome = withUnsafeBytes(of: word.littleEndian) { bytes in
        socket.send(UnsafeRawBufferPointer(rebasing: bytes[1..<1 + length]), more: true)
      }
      if outcome == .sent, word & Self.delimiterFlag != 0 {
        return socket.send(UnsafeRawBufferPointer(start: nil, count: 0), more: true)
      }
      return outcome
    case .frames(let bytes):
      return bytes.withUnsafeBytes { bytes in
        var offset = 0
        while offset < bytes.count {
          let length = Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
          offset += 4
          let frame = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
          offset += length
          let outcome = socket.send(frame, more: true)
          if outcome != .sent { return outcome }
        }
        return .sent
      }
    }
  }

  private static func append(_ frame: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: UInt32(frame.count)) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: frame)
  }
}
