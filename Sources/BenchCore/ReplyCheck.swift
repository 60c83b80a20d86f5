/// Distinguishes good replies from bad ones by a few bytes, so that checking costs nothing.
public enum ReplyCheck: Sendable {
  /// A baseline: any body will do.
  case baseline
  /// A response of HealthService/Check that says SERVING.
  case serving
  /// A response with one result, which is a record.
  case oneRecord

  /// The call that a response header answers with the status OK.
  ///
  /// - Parameter header: Also a request header that a baseline echoes: the call id comes first in
  ///   both.
  /// - Returns: `nil` for another status, or bytes that are no header.
  public static func callID(of header: UnsafeRawBufferPointer) -> UInt64? {
    var cursor = Cursor(header)
    guard cursor.byte() == 0x08, let id = cursor.varint() else { return nil }
    // Fields stand in the order of their numbers, and a status of OK is left out.
    let statusTag: UInt8 = 0x10
    return cursor.isAtEnd || cursor.byte() != statusTag ? id : nil
  }

  /// Whether the body is what it should be.
  public func accepts(_ body: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .baseline: return true
    case .serving: return body.count == 2 && body[0] == 0x08 && body[1] == 1
    case .oneRecord:
      var cursor = Cursor(body)
      guard cursor.byte() == 0x0a, let length = cursor.varint(), length == UInt64(cursor.remaining),
        cursor.byte() == 0x0a, let idLength = cursor.varint(), cursor.skip(idLength)
      else { return false }
      let recordTag: UInt8 = 0x12
      return cursor.byte() == recordTag
    }
  }

  private struct Cursor {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var remaining: Int { bytes.count - position }
    var isAtEnd: Bool { remaining == 0 }

    mutating func byte() -> UInt8? {
      guard !isAtEnd else { return nil }
      defer { position += 1 }
      return bytes[position]
    }

    mutating func varint() -> UInt64? {
      var (value, shift) = (UInt64(0), UInt64(0))
      while shift < 64, let byte = byte() {
        value |= UInt64(byte & 0x7f) << shift
        if byte < 0x80 { return value }
        shift += 7
      }
      return nil
    }

    mutating func skip(_ count: UInt64) -> Bool {
      guard count <= UInt64(remaining) else { return false }
      position += Int(count)
      return true
    }
  }
}
