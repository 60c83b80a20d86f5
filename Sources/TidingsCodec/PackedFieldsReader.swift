internal import TidingsModel
internal import TidingsWire

/// Reads fields that `PackedFieldsCheck` admitted.
enum PackedFieldsReader: PackedFieldsCodec {
  static func fields(_ bytes: UnsafeRawBufferPointer) -> [RecordFields.Field] {
    PackedFieldSequence(bytes).map { field in
      RecordFields.Field(
        name: String(decoding: field.name.raw, as: UTF8.self),
        value: value(of: field)
      )
    }
  }

  static func value(of name: String, in bytes: UnsafeRawBufferPointer) -> FieldValue? {
    var name = name
    return name.withUTF8 { name in
      guard let name = LentBytes(UnsafeRawBufferPointer(name)) else { return nil }
      for field in PackedFieldSequence(bytes) where field.name.isEqual(to: name) {
        return value(of: field)
      }
      return nil
    }
  }

  private static func value(of field: PackedField) -> FieldValue? {
    guard let value = try? PlainRecordReader.value(field.value) else {
      preconditionFailure("packed fields were checked")
    }
    return value
  }

  static func merged(
    _ changes: UnsafeRawBufferPointer,
    into old: UnsafeRawBufferPointer
  ) -> (bytes: [UInt8], count: Int)? {
    if names(of: changes, cover: old) { return nil }
    var (bytes, count) = ([] as [UInt8], 0)
    bytes.reserveCapacity(old.count + changes.count)
    var (old, new) = (PackedFieldSequence(old), PackedFieldSequence(changes))
    var (oldField, newField) = (old.next(), new.next())
    func append(_ entry: LentBytes?) {
      entry.map { bytes += $0 }
      count += 1
    }
    while let field = oldField {
      if let changed = newField, !field.name.precedes(changed.name) {
        if changed.name.isEqual(to: field.name) { oldField = old.next() }
        append(new.lastEntry)
        newField = new.next()
      } else {
        append(old.lastEntry)
        oldField = old.next()
      }
    }
    while newField != nil {
      append(new.lastEntry)
      newField = new.next()
    }
    return (bytes, count)
  }

  /// Whether each of some fields is among others.
  private static func names(
    of fields: UnsafeRawBufferPointer,
    cover others: UnsafeRawBufferPointer
  ) -> Bool {
    var fields = PackedFieldSequence(fields)
    for other in PackedFieldSequence(others) {
      repeat {
        guard let field = fields.next(), !other.name.precedes(field.name) else { return false }
        if field.name.isEqual(to: other.name) { break }
      } while true
    }
    return true
  }
}
