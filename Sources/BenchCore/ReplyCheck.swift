internal import TidingsWire

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
    var fields = WireReader(header[...])
    guard case (1, .varint(let id))?? = try? fields.next() else { return nil }
    // Fields stand in the order of their numbers, and a status of OK is left out.
    let statusTag: UInt8 = 0x10
    return fields.rest.first == statusTag ? nil : id
  }

  /// Whether the body is what it should be.
  public func accepts(_ body: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .baseline: return true
    case .serving: return body.count == 2 && body[0] == 0x08 && body[1] == 1
    case .oneRecord:
      var response = WireReader(body[...])
      guard let result = response.nextDelimited(), result.field == 1, response.isAtEnd else {
        return false
      }
      var members = WireReader(result.content)
      return members.nextDelimited()?.field == 1 && members.nextDelimited()?.field == 2
    }
  }
}
