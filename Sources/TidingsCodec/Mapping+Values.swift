package import TidingsModel
package import TidingsProto
internal import TidingsProtoC
package import TidingsProtobuf
internal import TidingsRPC

extension TidingsV1.FieldValue {
  /// The value that a predicate compares with; null is none.
  package func required(_ path: String) throws -> FieldValue {
    // Values of predicates are few: they take the way of a record's fields, through C.
    let arena = Arena()
    let message = try Self.unpack(encoded(in: arena).span.bytes, in: arena)
      .assumingMemoryBound(to: Tidings__V1__FieldValue.self)
    guard let value = try RecordReader.fieldValue(.init(mutating: message), path) else {
      throw ItemError(.invalidArguments, "\(path) is null: predicates compare with values")
    }
    return value.withoutOwners
  }

  /// A field of a notification.
  package init(_ value: FieldValue?, in arena: borrowing Arena) {
    // What RecordWriter makes is a message, and valid UTF-8 throughout.
    self =
      (try? TidingsV1.FieldValue(decoding: RecordWriter.encode(value).span.bytes, in: arena))
      ?? TidingsV1.FieldValue()
  }
}
