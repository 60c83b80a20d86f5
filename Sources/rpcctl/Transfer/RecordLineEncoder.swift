internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsWire

private typealias Request = TidingsV1.ModifyRecordsRequest.FieldNumber
private typealias Field = TidingsV1.Record.FieldNumber
private typealias IDField = TidingsV1.RecordID.FieldNumber
private typealias ZoneField = TidingsV1.ZoneID.FieldNumber
private typealias Value = TidingsV1.FieldValue.FieldNumber

/// Encodes lines of JSON, each a record, as the records of a request.
///
/// Simple records (as written by `export`, with members in any order) are converted directly from text
/// to wire bytes; all others are converted by way of `JSONValue`, with the same result.
struct RecordLineEncoder {
  /// Most fields of a simple record: names are compared pairwise.
  private static let fieldsMax = 32

  /// What a caller needs to know about a record.
  struct Encoded {
    /// The zone's name; empty: the default zone.
    var zoneName: [UInt8]
    /// Equal for the same record; `nil`: the record has no name, it is new.
    var nameHash: UInt64?
  }

  /// The zone of records without one; empty: the default zone.
  private let zoneName: [UInt8]
  private let valuesWithoutZone: FieldValueJSON
  /// Parses values whose references have no zone.
  private var values: FieldValueJSON
  private var members = Members()
  private var fields = WireWriter()
  /// The same in the order of the line, while they are sorted.
  private var unsortedFields = WireWriter()
  private var names: [Range<Int>] = []
  /// The end of each field in `fields`.
  private var ends: [Int] = []
  /// The number of lines that were not simple, for tests.
  private(set) var slowPathCount = 0

  private struct Members {
    var recordType: Range<Int>?
    var recordName: Range<Int>?
    var zoneName: Range<Int>?
    var ownerName: Range<Int>?
    var parent: [UInt8]?
    /// A value that depends on the zone preceded it.
    var needsZoneFirst = false
    var seen: UInt16 = 0
  }

  init(zoneName: String) {
    self.zoneName = Array(zoneName.utf8)
    valuesWithoutZone = FieldValueJSON(zoneName: zoneName)
    values = valuesWithoutZone
  }

  /// Appends a record to the `records_to_save` of a request.
  ///
  /// Change tags are omitted: those of a file belong to the database of origin.
  ///
  /// - Throws: `JSONSyntaxError` or `ValueError`; the request is then unchanged.
  mutating func encode(
    _ text: [UInt8],
    _ range: Range<Int>,
    into bytes: inout [UInt8]
  ) throws -> Encoded {
    var request = WireWriter()
    swap(&request.bytes, &bytes)
    defer { swap(&request.bytes, &bytes) }
    if let encoded = encodePlain(text, range, into: &request) { return encoded }
    slowPathCount += 1
    let json = try JSONValue(parsing: Array(text[range]))
    var record = try RecordJSON.record(
      json,
      "",
      zoneName: String(decoding: zoneName, as: UTF8.self)
    )
    record.changeTag = ""
    request.add(Request.recordsToSave, record.encoded())
    let id = record.recordID ?? .init()
    let zone = Array((id.zoneID?.zoneName ?? "").utf8)
    let owner = Array((id.zoneID?.ownerName ?? "").utf8)
    return Encoded(
      zoneName: zone,
      nameHash: id.recordName.isEmpty ? nil : Self.hash(zone, owner, Array(id.recordName.utf8))
    )
  }

  private mutating func encodePlain(
    _ text: [UInt8],
    _ range: Range<Int>,
    into request: inout WireWriter
  ) -> Encoded? {
    var scanner = LineScanner(text, range)
    members = Members()
    values = valuesWithoutZone
    fields.removeAll()
    guard scanner.take(UInt8(ascii: "{")) else { return nil }
    repeat {
      guard let name = scanner.string(), scanner.take(UInt8(ascii: ":")),
        readMember(name, &scanner)
      else { return nil }
    } while scanner.take(UInt8(ascii: ","))
    guard scanner.take(UInt8(ascii: "}")), scanner.isAtEnd(), let type = members.recordType else {
      return nil
    }
    // Invalid UTF-8, which is not checked above, would make the server reject the whole batch.
    guard scanner.joined < 0x80 || String(validating: text[range], as: UTF8.self) != nil else {
      return nil
    }
    let zone = members.zoneName.map { text[$0] } ?? zoneName[...]
    let owner = members.ownerName.map { text[$0] } ?? []
    let name = members.recordName.map { text[$0] } ?? []
    append(text[type], name, zone, owner, to: &request)
    return Encoded(
      zoneName: Array(zone),
      nameHash: name.isEmpty ? nil : Self.hash(zone, owner, name)
    )
  }

  private func append(
    _ type: ArraySlice<UInt8>,
    _ name: ArraySlice<UInt8>,
    _ zone: ArraySlice<UInt8>,
    _ owner: ArraySlice<UInt8>,
    to request: inout WireWriter
  ) {
    let zoneBytes =
      (zone.isEmpty ? 0 : WireSize.field(zone.count))
      + (owner.isEmpty ? 0 : WireSize.field(owner.count))
    let idBytes =
      (name.isEmpty ? 0 : WireSize.field(name.count))
      + (zoneBytes == 0 ? 0 : WireSize.field(zoneBytes))
    let recordBytes =
      WireSize.field(idBytes) + WireSize.field(type.count) + fields.bytes.count
      + (members.parent.map { WireSize.field($0.count) } ?? 0)
    request.addHead(Request.recordsToSave, bytes: recordBytes)
    request.addHead(Field.recordID, bytes: idBytes)
    if !name.isEmpty { request.add(IDField.recordName, name) }
    if zoneBytes > 0 {
      request.addHead(IDField.zoneID, bytes: zoneBytes)
      if !zone.isEmpty { request.add(ZoneField.zoneName, zone) }
      if !owner.isEmpty { request.add(ZoneField.ownerName, owner) }
    }
    request.add(Field.recordType, type)
    request.append(fields.bytes)
    if let parent = members.parent { request.add(Field.parent, parent) }
  }

  /// Hash collisions between zones are rare, and only end a batch early.
  static func hash(
    _ zone: some Collection<UInt8>,
    _ owner: some Collection<UInt8>,
    _ name: some Collection<UInt8>
  ) -> UInt64 {
    // FNV-1a.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    let prime: UInt64 = 0x0000_0100_0000_01b3
    for byte in name { hash = (hash ^ UInt64(byte)) &* prime }
    hash = (hash ^ 0xFF) &* prime
    // The default zone has two names.
    if !zone.elementsEqual(ZoneName.defaultZone.utf8) {
      for byte in zone { hash = (hash ^ UInt64(byte)) &* prime }
    }
    hash = (hash ^ 0xFF) &* prime
    for byte in owner { hash = (hash ^ UInt64(byte)) &* prime }
    return hash
  }
}

extension RecordLineEncoder {
  private mutating func readMember(_ name: Range<Int>, _ scanner: inout LineScanner) -> Bool {
    let words: [StaticString] = Self.memberNames
    guard let number = words.firstIndex(where: { scanner.matches(name, $0) }),
      members.seen & 1 << number == 0
    else { return false }
    members.seen |= 1 << number
    switch number {
    case 0: return readFields(&scanner)
    case 1:
      members.recordType = scanner.string()
      return members.recordType != nil
    case 2:
      members.recordName = scanner.string()
      return members.recordName != nil
    case 3:
      members.zoneName = scanner.string()
      guard let range = members.zoneName, !members.needsZoneFirst else { return false }
      values = FieldValueJSON(zoneName: String(decoding: scanner.text[range], as: UTF8.self))
      return true
    case 4:
      members.ownerName = scanner.string()
      return members.ownerName != nil
    case 5: return scanner.string() != nil
    case 6: return readParent(&scanner)
    // Set by the server.
    default: return scanner.takeTexts()
    }
  }

  private static let memberNames: [StaticString] = [
    "fields", "recordType", "recordName", "zoneName", "ownerName", "changeTag", "parent",
    "created", "modified",
  ]

  private mutating func readFields(_ scanner: inout LineScanner) -> Bool {
    guard scanner.take(UInt8(ascii: "{")) else { return false }
    names.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    if scanner.take(UInt8(ascii: "}")) { return true }
    repeat {
      guard let name = scanner.string(), scanner.take(UInt8(ascii: ":")),
        names.count < Self.fieldsMax, isNew(name, scanner.text), readValue(name, &scanner)
      else { return false }
      names.append(name)
      ends.append(fields.bytes.count)
    } while scanner.take(UInt8(ascii: ","))
    sortFields(scanner.text)
    return scanner.take(UInt8(ascii: "}"))
  }

  /// Puts the fields in the order of their names, in which a server stores them: it takes them as they are, and
  /// sorts and encodes others again.
  private mutating func sortFields(_ text: [UInt8]) {
    func isBefore(_ a: Int, _ b: Int) -> Bool {
      text[names[a]].lexicographicallyPrecedes(text[names[b]])
    }
    if names.indices.dropFirst().allSatisfy({ isBefore($0 - 1, $0) }) { return }
    swap(&fields, &unsortedFields)
    fields.removeAll()
    for index in names.indices.sorted(by: isBefore) {
      fields.append(unsortedFields.bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]])
    }
  }

  private func isNew(_ name: Range<Int>, _ text: [UInt8]) -> Bool {
    for other in names where other.count == name.count {
      if text[other] == text[name] { return false }
    }
    return true
  }

  /// Appends an entry of the map `fields`, whose value is a `FieldValue`.
  private mutating func readValue(_ name: Range<Int>, _ scanner: inout LineScanner) -> Bool {
    let text = scanner.text
    switch scanner.peek() {
    case UInt8(ascii: "\""):
      guard let string = scanner.string() else { return false }
      appendEntry(text[name], valueBytes: WireSize.field(string.count))
      fields.add(Value.stringValue, text[string])
    case UInt8(ascii: "n"):
      guard scanner.takeWord("null") else { return false }
      appendEntry(text[name], valueBytes: 0)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard let nested = scanner.nested(), let value = longValue(text[nested]) else { return false }
      appendEntry(text[name], valueBytes: value.count)
      fields.append(value)
    default:
      switch scanner.number() {
      case .whole(let value)?: append(text[name], whole: value)
      case .double(let value)?:
        appendEntry(text[name], valueBytes: 9)
        fields.add(Value.doubleValue, fixed64: value.bitPattern)
      case nil: return false
      }
    }
    return true
  }

  private mutating func append(_ name: ArraySlice<UInt8>, whole value: Int64) {
    let bits = UInt64(bitPattern: value)
    appendEntry(name, valueBytes: 1 + WireSize.varint(bits))
    fields.add(Value.int64Value, varint: bits)
  }

  private mutating func appendEntry(_ name: ArraySlice<UInt8>, valueBytes: Int) {
    fields.addHead(Field.fields, bytes: WireSize.field(name.count) + WireSize.field(valueBytes))
    fields.add(1, name)
    fields.addHead(2, bytes: valueBytes)
  }

  /// A list, or a value with an explicit type.
  private mutating func longValue(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard let json = try? JSONValue(parsing: Array(text)),
      let value = try? values.value(json, "")
    else { return nil }
    members.needsZoneFirst = true
    return value.encoded()
  }

  private mutating func readParent(_ scanner: inout LineScanner) -> Bool {
    if scanner.takeWord("null") {
      members.parent = TidingsV1.Reference.removed.encoded()
      return true
    }
    let text = scanner.text
    guard let range = scanner.peek() == UInt8(ascii: "\"") ? scanner.string() : scanner.nested()
    else { return false }
    let isString = text[range.lowerBound] != UInt8(ascii: "{")
    let bytes =
      isString ? [UInt8(ascii: "\"")] + text[range] + [UInt8(ascii: "\"")] : Array(text[range])
    guard let json = try? JSONValue(parsing: bytes),
      let reference = try? values.reference(json, "")
    else { return false }
    members.needsZoneFirst = true
    members.parent = reference.encoded()
    return true
  }
}
