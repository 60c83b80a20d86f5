internal import Synchronization

/// Fields of a record in their encoded form, whose values are read where something asks for them: most saves are
/// checked, merged and stored without it.
///
/// A codec makes them of bytes that it has checked: names in ASCII, strictly ascending, and values that are valid
/// strings, integers, finite doubles, bytes and times, all encoded as the codec itself encodes them.
package final class PackedFields: Sendable {
  /// Memory of an array, in part.
  @usableFromInline let storage: [UInt8]
  @usableFromInline let range: Range<Int>
  /// How many fields.
  package let count: Int
  private let codec: any PackedFieldsCodec.Type
  /// All fields, once they were read.
  private let list = AtomicLazyReference<List>()

  private final class List: Sendable {
    let fields: [RecordFields.Field]
    init(_ fields: [RecordFields.Field]) { self.fields = fields }
  }

  /// Fields that a codec has checked.
  ///
  /// - Parameters:
  ///   - storage: Memory with their encoded form.
  ///   - range: Where in the memory.
  ///   - count: How many fields.
  ///   - codec: What reads them.
  package init(
    _ storage: [UInt8],
    in range: Range<Int>,
    count: Int,
    codec: any PackedFieldsCodec.Type
  ) {
    precondition(range.upperBound <= storage.count, "a part of the memory")
    (self.storage, self.range, self.count, self.codec) = (storage, range, count, codec)
  }

  /// How many bytes.
  package var byteCount: Int { range.count }

  /// Lends the encoded form.
  @inlinable
  package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try storage.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  /// All fields, in the order of their names.
  package var fields: [RecordFields.Field] {
    if let known = list.load() { return known.fields }
    return list.storeIfNil(List(withBytes { codec.fields($0) })).fields
  }

  /// The value of a field; `nil` when it is absent.
  package func value(of name: String) -> FieldValue? {
    withBytes { codec.value(of: name, in: $0) }
  }

  /// These fields, of which others replace those of the same names.
  func applying(_ changes: PackedFields) -> PackedFields {
    let merged = withBytes { old in changes.withBytes { codec.merged($0, into: old) } }
    guard let merged else { return changes }
    return PackedFields(
      merged.bytes,
      in: 0..<merged.bytes.count,
      count: merged.count,
      codec: codec
    )
  }

  /// Whether both are encoded alike.
  func hasSameBytes(as other: PackedFields) -> Bool {
    self === other || storage[range] == other.storage[other.range]
  }
}

/// Reads the encoded form of fields that it has checked before.
package protocol PackedFieldsCodec: SendableMetatype {
  /// All fields, in the order of their names.
  static func fields(_ bytes: UnsafeRawBufferPointer) -> [RecordFields.Field]

  /// The value of a field; `nil` when it is absent.
  static func value(of name: String, in bytes: UnsafeRawBufferPointer) -> FieldValue?

  /// Fields of which others replace those of the same names.
  ///
  /// - Parameters:
  ///   - changes: What replaces.
  ///   - old: What is replaced.
  /// - Returns: Their encoded form and how many they are; `nil`: they are the changes, which replace all.
  static func merged(
    _ changes: UnsafeRawBufferPointer,
    into old: UnsafeRawBufferPointer
  ) -> (bytes: [UInt8], count: Int)?
}
