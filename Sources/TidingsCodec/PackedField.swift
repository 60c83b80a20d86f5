package import TidingsModel
internal import TidingsProto
package import TidingsWire

private typealias ValueField = TidingsV1.FieldValue.FieldNumber

/// One field in its encoded form: an entry of a map with a name and a value.
package struct PackedField {
  /// In ASCII, if the field was checked.
  package let name: LentBytes
  /// The message of the value.
  let value: LentBytes

  /// Finds the name and the value in an entry without its head; `nil`: it has not exactly these, in this order.
  init?(_ entry: LentBytes) {
    var rest = entry
    guard let name = rest.take(MapEntry.key), let value = rest.take(MapEntry.value), rest.isEmpty
    else { return nil }
    (self.name, self.value) = (name, value)
  }

  /// The kind of a value that was checked.
  package var kind: FieldValue.Kind? {
    // The numbers of these members take one byte, with the form of the value in three bits.
    switch Int(value.first ?? 0) >> 3 {
    case ValueField.stringValue: .string
    case ValueField.int64Value: .int64
    case ValueField.doubleValue: .double
    case ValueField.bytesValue: .bytes
    case ValueField.timestampValue: .timestamp
    default: nil
    }
  }
}

/// Walks over fields that were checked, in the order of their names.
package struct PackedFieldSequence: Sequence, IteratorProtocol {
  private var rest: LentBytes?
  /// The entry that was returned last, with its head.
  private(set) var lastEntry: LentBytes?

  /// The fields in memory that is lent.
  package init(_ bytes: UnsafeRawBufferPointer) { rest = LentBytes(bytes) }

  /// The next field.
  package mutating func next() -> PackedField? {
    guard let start = rest?.startIndex, let entry = rest?.take(TidingsV1.Record.FieldNumber.fields)
    else { return nil }
    lastEntry = LentBytes(start..<entry.endIndex)
    return PackedField(entry)
  }
}
