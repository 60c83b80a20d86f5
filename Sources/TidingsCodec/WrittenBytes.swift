internal import TidingsModel
internal import TidingsProto
internal import TidingsWire

extension [RecordFields.Field] {
  /// Whether `RecordWriter` would write these fields as the bytes that a `PlainRecordReader` read them from.
  ///
  /// It read them one after the other and each part once, so that only the order of the names and the lengths of numbers
  /// can differ. Numbers are nowhere shorter than it writes them: if all bytes together are as many, all are equal.
  func areWritten(inBytes count: Int) -> Bool {
    var bytes = 0
    for (index, field) in enumerated() {
      guard index == 0 || self[index - 1].name < field.name,
        let valueBytes = field.value?.writtenBytes
      else { return false }
      bytes += WireSize.field(
        WireSize.field(field.name.utf8.count) + WireSize.field(valueBytes)
      )
    }
    return bytes == count
  }
}

extension FieldValue {
  /// How many bytes the member of a value of the common kinds has; `nil` for all others.
  fileprivate var writtenBytes: Int? {
    switch self {
    case .string(let text): WireSize.field(text.utf8.count)
    case .bytes(let bytes): WireSize.field(bytes.count)
    case .int64(let number): 1 + WireSize.varint(UInt64(bitPattern: number))
    case .double: 1 + MemoryLayout<Double>.size
    case .timestamp(let time): WireSize.field(time.writtenBytes)
    default: nil
    }
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
