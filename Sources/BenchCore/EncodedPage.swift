/// A page of a zone's changes, read no deeper than to its token: what a page costs without the decoding
/// of its records.
public struct EncodedPage {
  /// Records that changed.
  public let recordCount: Int
  /// For the next page.
  public let changeToken: [UInt8]
  /// There is more at once.
  public let moreComing: Bool

  /// Reads an encoded `FetchRecordZoneChangesResponse` with one zone; `nil` when it is none.
  public init?(_ response: [UInt8]) {
    var (count, token, more, isZone) = (0, [] as [UInt8], false, false)
    let isRead = response.withUnsafeBytes { bytes in
      Self.forEachMember(bytes[...]) { number, zone in
        guard number == 1 else { return true }
        isZone = true
        return Self.forEachMember(zone) { number, content in
          switch number {
          case 2: count += 1
          case 4: token = Array(content)
          case 5: more = true
          case 6: return false
          default: break
          }
          return true
        }
      }
    }
    guard isRead, isZone else { return nil }
    (recordCount, changeToken, moreComing) = (count, token, more)
  }

  /// - Returns: Whether the bytes are a message, and `body` accepted all members.
  private static func forEachMember(
    _ message: Slice<UnsafeRawBufferPointer>,
    _ body: (_ number: UInt64, _ content: Slice<UnsafeRawBufferPointer>) -> Bool
  ) -> Bool {
    var rest = message
    while !rest.isEmpty {
      guard let key = varint(&rest), let value = varint(&rest) else { return false }
      switch key & 7 {
      case 0: guard body(key >> 3, rest.prefix(0)) else { return false }
      case 2:
        guard value <= UInt64(rest.count), body(key >> 3, rest.prefix(Int(value))) else {
          return false
        }
        rest = rest.dropFirst(Int(value))
      default: return false
      }
    }
    return true
  }

  private static func varint(_ bytes: inout Slice<UnsafeRawBufferPointer>) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = bytes.popFirst() else { return nil }
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
    }
    return nil
  }
}
