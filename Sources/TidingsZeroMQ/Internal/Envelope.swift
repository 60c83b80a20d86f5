/// The frames before a request's header: the way back to its client.
///
/// The two common forms, DEALER's and REQ's with a routing id that libzmq made up, fit into a word
/// and cost no allocation.
enum Envelope: Hashable, Sendable {
  /// Lowest byte: the routing id's length, plus 0x80 if an empty delimiter follows; then the id.
  case short(UInt64)
  /// Each frame after its length (4 bytes, native order).
  case frames([UInt8])

  private static let delimiterFlag: UInt64 = 0x80

  /// The first `count` frames of a message, the routing id included.
  init(_ frames: borrowing FrameSet, count: Int) {
    let id = frames[0]
    let hasDelimiter = count == 2 && frames[1].isEmpty
    if id.count <= 7, count == 1 || hasDelimiter {
      var word: UInt64 = 0
      for byte in id.reversed() { word = word << 8 | UInt64(byte) }
      self = .short(word << 8 | UInt64(id.count) | (hasDelimiter ? Self.delimiterFlag : 0))
    } else {
      var bytes: [UInt8] = []
      for index in 0..<count { Self.append(frames[index], to: &bytes) }
      self = .frames(bytes)
    }
  }

  /// Whether libzmq made the routing id up: a zero and four bytes.
  ///
  /// A peer can claim such an id too, without knowing whose it is or will be.
  var hasIDOfLibzmq: Bool {
    guard case .short(let word) = self else {
      guard case .frames(let bytes) = self, bytes.count > 4 else { return false }
      return bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) } == 5 && bytes[4] == 0
    }
    return word & 0x7f == 5 && word & 0xff00 == 0
  }

  /// Only the connection, whatever proxies or delimiters follow.
  var peer: Self {
    switch self {
    case .short(let word): return .short(word & ~Self.delimiterFlag)
    case .frames(let bytes):
      let length = bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
      return .frames(Array(bytes.prefix(4 + Int(length))))
    }
  }

  /// A number that differs between most connections; libzmq counts them up.
  var place: Int {
    switch self {
    case .short(let word): Int(truncatingIfNeeded: word >> 40 ^ word >> 8)
    case .frames(let bytes): Int(bytes.last ?? 0)
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
