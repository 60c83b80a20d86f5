package import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
package import TidingsWire

private typealias Field = TidingsV1.Record.FieldNumber
private typealias IDField = TidingsV1.RecordID.FieldNumber
private typealias ZoneIDField = TidingsV1.ZoneID.FieldNumber
private typealias ModificationField = TidingsV1.ModificationInfo.FieldNumber
private typealias ReferenceField = TidingsV1.Reference.FieldNumber
private typealias AssetField = TidingsV1.Asset.FieldNumber
private typealias ValueField = TidingsV1.FieldValue.FieldNumber
private typealias TimeField = GoogleProtobuf.Timestamp.FieldNumber

/// Reads records straight from the wire, if they are as all encoders write them: members in the order of their numbers,
/// none twice, none unknown, all valid.
///
/// Nearly all records are, and it takes a quarter of the time of the way through C structs. What throws is not
/// refused: `RecordReader` reads it, decides whether it is valid, and says what is not.
package enum PlainRecordReader {
  package typealias Bytes = LentBytes

  /// Most records of a request, fields of a record and members of a list that are read so.
  ///
  /// Each of two bytes could take a hundred bytes of memory: the way through C structs, whose arena is bounded, decides
  /// about more.
  package static let countMax = 1_000

  /// A record in memory.
  package static func record(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> Record {
    guard let bytes = LentBytes(bytes) else { throw WireError() }
    return try record(bytes)
  }

  /// A record.
  ///
  /// Its fields stay as they are, if that is as `RecordWriter` would write them.
  package static func record(_ bytes: Bytes) throws(WireError) -> Record {
    var record = Record(recordID: RecordID(recordName: ""), recordType: "")
    var members = OrderedMembers(bytes)
    var rest = bytes
    var fields = (start: bytes.startIndex, end: bytes.startIndex, count: 0)
    var check: PackedFieldsCheck? = PackedFieldsCheck()
    while let (member, content) = try members.nextMessage(repeated: Field.fields) {
      switch member {
      case Field.recordID: record.recordID = try recordID(content)
      case Field.recordType: record.recordType = try text(content)
      case Field.fields where fields.count < countMax:
        if fields.count == 0 { fields.start = rest.startIndex }
        fields.count += 1
        fields.end = members.rest.startIndex
        if check?.admits(content) == false { check = nil }
      case Field.changeTag: record.changeTag = try text(content)
      case Field.created: record.created = try modification(content)
      case Field.modified: record.modified = try modification(content)
      case Field.parent: record.parent = try reference(content)
      case Field.shareRecordName: record.shareRecordName = try text(content)
      default: throw WireError()
      }
      rest = members.rest
    }
    let encoded = bytes[fields.start..<fields.end]
    if fields.count == 0 { return record }
    if let check, check.areWritten(in: encoded.count) {
      record.fields = RecordFields(
        PackedFields(
          [UInt8](encoded),
          in: 0..<encoded.count,
          count: fields.count,
          codec: PackedFieldsReader.self
        )
      )
    } else {
      record.fields = RecordFields(try list(encoded, count: fields.count))
    }
    return record
  }

  /// A record's name and zone.
  package static func recordID(_ bytes: Bytes) throws(WireError) -> RecordID {
    var id = RecordID(recordName: "")
    var members = OrderedMembers(bytes)
    while let (member, content) = try members.nextMessage() {
      switch member {
      case IDField.recordName: id.recordName = try text(content)
      case IDField.zoneID: id.zoneID = try zoneID(content)
      default: throw WireError()
      }
    }
    return id
  }

  private static func zoneID(_ bytes: Bytes) throws(WireError) -> ZoneID {
    var id = ZoneID.default
    var members = OrderedMembers(bytes)
    while let (member, content) = try members.nextMessage() {
      switch member {
      case ZoneIDField.zoneName where !content.isEmpty: id.zoneName = try text(content)
      case ZoneIDField.ownerName: id.ownerName = try text(content)
      default: throw WireError()
      }
    }
    return id
  }

  private static func modification(
    _ bytes: Bytes
  ) throws(WireError) -> Record.ModificationInfo? {
    var (time, caller) = (nil as Timestamp?, Caller(user: "", device: ""))
    var members = OrderedMembers(bytes)
    while let (member, content) = try members.nextMessage() {
      switch member {
      case ModificationField.timestamp: time = try timestamp(content)
      case ModificationField.userRecordName: caller.user = try text(content)
      case ModificationField.deviceID: caller.device = try text(content)
      default: throw WireError()
      }
    }
    return time.map { Record.ModificationInfo(timestamp: $0, caller: caller) }
  }

  // MARK: Fields

  private static func list(
    _ entries: Bytes,
    count: Int
  ) throws(WireError) -> [RecordFields.Field] {
    var fields: [RecordFields.Field] = []
    fields.reserveCapacity(count)
    var members = OrderedMembers(entries)
    while let (_, entry) = try members.nextMessage(repeated: Field.fields) {
      fields.append(try field(entry))
    }
    return fields
  }

  private static func field(_ bytes: Bytes) throws(WireError) -> RecordFields.Field {
    var field = RecordFields.Field(name: "", value: nil)
    var members = OrderedMembers(bytes)
    while let (member, content) = try members.nextMessage() {
      switch member {
      case MapEntry.key: field.name = try text(content)
      case MapEntry.value: field.value = try value(content)
      default: throw WireError()
      }
    }
    return field
  }

  /// The value of a field; `nil` for null.
  static func value(_ bytes: Bytes) throws(WireError) -> FieldValue? {
    var wire = WireReader(bytes)
    guard let (member, value) = try wire.next() else { return nil }
    // Of several members the last would count.
    guard wire.isAtEnd else { throw WireError() }
    switch (member, value) {
    case (ValueField.stringValue, .bytes(let content)): return .string(try text(content))
    case (ValueField.int64Value, .varint(let bits)): return .int64(Int64(bitPattern: bits))
    case (ValueField.doubleValue, .fixed64(let bits)): return .double(Double(bitPattern: bits))
    case (ValueField.bytesValue, .bytes(let content)): return .bytes([UInt8](content))
    case (ValueField.timestampValue, .bytes(let content)):
      return .timestamp(try timestamp(content))
    case (ValueField.referenceValue, .bytes(let content)):
      return .reference(try reference(content))
    case (ValueField.assetValue, .bytes(let content)): return .asset(try asset(content))
    case (ValueField.stringListValue, .bytes(let content)):
      return .stringList(try texts(content))
    // Places, other lists and encrypted values are seldom.
    default: throw WireError()
    }
  }

  private static func texts(_ bytes: Bytes) throws(WireError) -> [String] {
    var texts: [String] = []
    var members = OrderedMembers(bytes)
    let values = TidingsV1.StringList.FieldNumber.values
    while let (member, content) = try members.nextMessage(repeated: values) {
      guard member == values, texts.count < countMax else { throw WireError() }
      texts.append(try text(content))
    }
    return texts
  }

  /// A valid time.
  static func timestamp(_ bytes: Bytes) throws(WireError) -> Timestamp {
    var (seconds, nanoseconds) = (0 as Int64, 0 as Int32)
    var members = OrderedMembers(bytes)
    while let (member, value) = try members.next() {
      switch (member, value) {
      case (TimeField.seconds, .varint(let bits)): seconds = Int64(bitPattern: bits)
      case (TimeField.nanos, .varint(let bits)) where bits < 1_000_000_000:
        nanoseconds = Int32(bits)
      default: throw WireError()
      }
    }
    let time = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    guard Timestamp.validRange.contains(time) else { throw WireError() }
    return time
  }

  private static func reference(_ bytes: Bytes) throws(WireError) -> Reference {
    var reference = Reference(recordID: RecordID(recordName: ""), action: .none)
    var members = OrderedMembers(bytes)
    while let (member, value) = try members.next() {
      switch (member, value) {
      case (ReferenceField.recordID, .bytes(let content)):
        reference.recordID = try recordID(content)
      case (ReferenceField.action, .varint(let number)):
        guard let action = Int32(exactly: number).flatMap(Reference.Action.init) else {
          throw WireError()
        }
        reference.action = action
      default: throw WireError()
      }
    }
    return reference
  }

  private static func asset(_ bytes: Bytes) throws(WireError) -> Asset {
    var asset = Asset(checksum: [], size: 0)
    var members = OrderedMembers(bytes)
    while let (member, value) = try members.next() {
      switch (member, value) {
      case (AssetField.checksum, .bytes(let content)): asset.checksum = [UInt8](content)
      case (AssetField.size, .varint(let size)): asset.size = size
      default: throw WireError()
      }
    }
    return asset
  }

  static func text(_ bytes: Bytes) throws(WireError) -> String {
    guard let text = Unpacked.validated(bytes.raw) else { throw WireError() }
    return text
  }
}

/// Reads the members of a message that come in the order of their numbers, none twice but those of one repeated field.
struct OrderedMembers {
  private var wire: WireReader<PlainRecordReader.Bytes>
  private var last = 0

  init(_ bytes: PlainRecordReader.Bytes) { wire = WireReader(bytes) }

  /// What is not read yet.
  var rest: PlainRecordReader.Bytes { wire.rest }

  mutating func next(
    repeated: Int = 0
  ) throws(WireError) -> (Int, WireValue<PlainRecordReader.Bytes>)? {
    guard let (member, value) = try wire.next() else { return nil }
    guard member > last || (member == last && member == repeated) else { throw WireError() }
    last = member
    return (member, value)
  }

  /// The same where all members have a length.
  mutating func nextMessage(
    repeated: Int = 0
  ) throws(WireError) -> (Int, PlainRecordReader.Bytes)? {
    guard let (member, value) = try next(repeated: repeated) else { return nil }
    guard case .bytes(let content) = value else { throw WireError() }
    return (member, content)
  }
}
