internal import RandomSupport
internal import TestSupport
internal import TidingsProto

extension SplitMix64 {
  /// A record of the contract with fields of all types, valid or nearly so.
  mutating func record() -> TidingsV1.Record {
    var record = TidingsV1.Record(text(), text(), zone: oneIn(2) ? "" : text(), tag: text())
    for _ in 0..<below(12) { record.fields["f\(below(100))"] = fieldValue() }
    if oneIn(2) { record.created = modification() }
    if oneIn(2) { record.modified = modification() }
    if oneIn(4) { record.parent = reference() }
    return record
  }

  mutating func fieldValue() -> TidingsV1.FieldValue {
    switch below(18) {
    case 0: .null
    case 1: .init(.stringValue(text()))
    case 2: .init(.int64Value(Int64(bitPattern: next())))
    case 3: .init(.doubleValue(double()))
    case 4: .init(.bytesValue(bytes(below(20))))
    case 5: .init(.timestampValue(timestamp()))
    case 6: .init(.locationValue(location()))
    case 7: .init(.referenceValue(reference()))
    case 8: .init(.assetValue(asset()))
    case 9: .init(.stringListValue(.init(values: list { $0.text() })))
    case 10: .init(.int64ListValue(.init(values: list { Int64(bitPattern: $0.next()) })))
    case 11: .init(.doubleListValue(.init(values: list { $0.double() })))
    case 12: .init(.bytesListValue(.init(values: list { $0.bytes($0.below(5)) })))
    case 13: .init(.timestampListValue(.init(values: list { $0.timestamp() })))
    case 14: .init(.locationListValue(.init(values: list { $0.location() })))
    case 15: .init(.referenceListValue(.init(values: list { $0.reference() })))
    case 16: .init(.assetListValue(.init(values: list { $0.asset() })))
    default: .init(.unknownListValue(.init()))
    }
  }

  mutating func text() -> String {
    let characters = ["a", "Z", "0", "\u{0}", "\u{fc}", "\u{1F608}", "\n", "'"]
    return (0...below(6)).map { _ in pick(characters) }.joined()
  }

  private mutating func double() -> Double {
    pick([0, -0.0, 1.5, -1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude])
  }

  private mutating func list<Element>(_ make: (inout SplitMix64) -> Element) -> [Element] {
    (0..<below(4)).map { _ in make(&self) }
  }

  /// To the millisecond, which is what is kept.
  private mutating func timestamp() -> GoogleProtobuf.Timestamp {
    let seconds: [Int64] = [-62_135_596_800, -1, 0, 1, 1_700_000_000, 253_402_300_799]
    return .init(seconds: pick(seconds), nanos: Int32(below(1000)) * 1_000_000)
  }

  private mutating func location() -> TidingsV1.Location {
    .init(
      latitude: double(),
      longitude: double(),
      horizontalAccuracy: oneIn(2) ? double() : nil,
      verticalAccuracy: oneIn(2) ? double() : nil,
      altitude: oneIn(2) ? double() : nil,
      speed: oneIn(2) ? double() : nil,
      course: oneIn(2) ? double() : nil,
      timestamp: oneIn(2) ? timestamp() : nil
    )
  }

  private mutating func reference() -> TidingsV1.Reference {
    .init(
      recordID: .init(text(), zone: oneIn(2) ? "" : text()),
      action: pick([.none, .deleteSelf, .validate])
    )
  }

  private mutating func asset() -> TidingsV1.Asset { .init(checksum: bytes(32), size: next()) }

  private mutating func modification() -> TidingsV1.ModificationInfo {
    .init(timestamp: timestamp(), userRecordName: text(), deviceID: text())
  }
}
