internal import TidingsWire

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
    var (count, token, more) = (0, [] as [UInt8], false)
    var message = WireReader(response[...])
    guard let zone = message.nextDelimited(), zone.field == 1, message.isAtEnd else { return nil }
    var members = WireReader(zone.content)
    do {
      while let (field, value) = try members.next() {
        switch (field, value) {
        case (2, _): count += 1
        case (4, .bytes(let content)): token = Array(content)
        case (5, _): more = true
        case (6, _): return nil
        default: break
        }
      }
    } catch {
      return nil
    }
    (recordCount, changeToken, moreComing) = (count, token, more)
  }
}
