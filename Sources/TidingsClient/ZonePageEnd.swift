internal import TidingsWire

/// Where an encoded page of a zone's changes ends, read without decoding its records.
struct ZonePageEnd {
  /// For the next page.
  let changeToken: [UInt8]
  /// There is more at once.
  let moreComing: Bool

  /// Reads an encoded `FetchRecordZoneChangesResponse`; `nil` if it has no page to continue from.
  init?(_ response: [UInt8]) {
    var message = WireReader(response[...])
    guard let zone = message.nextDelimited(), zone.field == 1 else { return nil }
    var (token, more) = ([] as [UInt8], false)
    var fields = WireReader(zone.content)
    do {
      while let (field, value) = try fields.next() {
        switch (field, value) {
        case (4, .bytes(let content)): token = Array(content)
        case (5, .varint(let value)): more = value != 0
        case (6, _): return nil
        default: break
        }
      }
    } catch {
      return nil
    }
    (changeToken, moreComing) = (token, more)
  }
}
