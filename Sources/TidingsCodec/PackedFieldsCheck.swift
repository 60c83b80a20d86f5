internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsWire

private typealias ValueField = TidingsV1.FieldValue.FieldNumber

/// Checks whether the fields of a record can stay as they came: values of the common kinds, all valid, encoded as
/// `RecordWriter` encodes them.
///
/// What it does not admit is not refused: `PlainRecordReader` and `RecordReader` decide that.
struct PackedFieldsCheck {
  /// Fields that it admitted.
  private(set) var count = 0
  /// What `RecordWriter` would write for them.
  private var writtenBytes = 0
  private var lastName: LentBytes?

  /// Checks the next field.
  ///
  /// - Parameter entry: An entry of the map, without its head.
  /// - Returns: Whether it may stay so; `false` is the end of the check.
  mutating func admits(_ entry: LentBytes) -> Bool {
    guard let field = PackedField(entry), field.name.isASCII,
      lastName?.precedes(field.name) ?? true, let valueBytes = Self.writtenBytes(of: field.value)
    else { return false }
    writtenBytes += WireSize.field(WireSize.field(field.name.count) + WireSize.field(valueBytes))
    lastName = field.name
    count += 1
    return true
  }

  /// Whether the fields are written so.
  ///
  /// They were read one after the other and each part once, so that only numbers can differ. They
  /// have at most 64 bits, and are nowhere shorter than they are written: if all bytes together are as many, all are equal.
  ///
  /// - Parameter bytesCount: The bytes of all entries with their heads.
  /// - Returns: `false`: some have another form.
  func areWritten(in bytesCount: Int) -> Bool { writtenBytes == bytesCount }

  /// How many bytes the member of a valid value has; `nil` for what may not stay.
  private static func writtenBytes(of value: LentBytes) -> Int? {
    var rest = value
    if let text = rest.take(ValueField.stringValue) {
      guard rest.isEmpty, text.isASCII || Unpacked.validated(text.raw) != nil else { return nil }
      return WireSize.field(text.count)
    }
    if let bytes = rest.take(ValueField.bytesValue) {
      return rest.isEmpty ? WireSize.field(bytes.count) : nil
    }
    if let content = rest.take(ValueField.timestampValue) {
      guard rest.isEmpty, let time = try? PlainRecordReader.timestamp(content) else { return nil }
      if time.seconds < 0 {
        // As long with bits that do not count as without.
        var seconds = content
        guard seconds.takeByte() != nil, seconds.takeVarint() != nil else { return nil }
      }
      return WireSize.field(time.writtenBytes)
    }
    switch rest.takeByte() {
    case tag(ValueField.int64Value, .varint):
      guard let bits = rest.takeVarint(), rest.isEmpty else { return nil }
      return 1 + WireSize.varint(bits)
    case tag(ValueField.doubleValue, .fixed64):
      guard let bits = rest.takeFixed64(), rest.isEmpty, Double(bitPattern: bits).isFinite else {
        return nil
      }
      return 1 + MemoryLayout<Double>.size
    default: return nil
    }
  }

  private static func tag(_ field: Int, _ type: WireType) -> UInt8 {
    UInt8(truncatingIfNeeded: UInt64(field) << 3 | type.rawValue)
  }
}

extension Timestamp {
  fileprivate var writtenBytes: Int {
    func member(_ value: Int64) -> Int {
      value == 0 ? 0 : 1 + WireSize.varint(UInt64(bitPattern: value))
    }
    return member(seconds) + member(Int64(nanoseconds))
  }
}
