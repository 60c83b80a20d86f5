package import TidingsModel
package import TidingsProto
internal import TidingsProtoC
package import TidingsProtobuf
package import TidingsWire

/// What a call of FetchRecords asks for.
package struct FetchRecordsMessage {
  package var databaseID: TidingsV1.DatabaseID?
  package var recordIDs: [RecordID] = []
  package var desiredKeys: TidingsV1.DesiredKeys?

  /// Reads an encoded request.
  ///
  /// - Parameters:
  ///   - bytes: The request.
  ///   - arena: Memory for one that is not plain.
  ///   - check: Refuses so many records, before their names are read.
  /// - Throws: `RPCError` or `MessageDecodingError` with the path to what is not valid; what `check` throws.
  package init(
    _ bytes: UnsafeRawBufferPointer,
    in arena: borrowing Arena,
    check: (_ itemCount: Int) throws -> Void
  ) throws {
    if let lent = LentBytes(bytes), let plain = try? Self(plain: lent) {
      self = plain
      try check(recordIDs.count)
    } else {
      try self.init(unpacking: bytes, in: arena, check: check)
    }
  }

  /// Reads a request without protobuf-c, if all of it is plain, and all fields are asked for.
  package init(plain bytes: PlainRecordReader.Bytes) throws(WireError) {
    typealias Field = TidingsV1.FetchRecordsRequest.FieldNumber
    var members = OrderedMembers(bytes)
    while let (member, content) = try members.nextMessage(repeated: Field.recordIDs) {
      switch member {
      case Field.databaseID: databaseID = try ModifyRecordsMessage.databaseID(content)
      case Field.recordIDs where recordIDs.count < PlainRecordReader.countMax:
        recordIDs.append(try PlainRecordReader.recordID(content))
      default: throw WireError()
      }
    }
  }

  /// Reads a request with protobuf-c.
  package init(
    unpacking bytes: UnsafeRawBufferPointer,
    in arena: borrowing Arena,
    check: (_ itemCount: Int) throws -> Void
  ) throws {
    let request = try TidingsV1.FetchRecordsRequest.unpack(bytes.bytes, in: arena)
      .assumingMemoryBound(to: Tidings__V1__FetchRecordsRequest.self).pointee
    try check(request.n_record_ids)
    databaseID = try Unpacked.message(request.database_id)
    desiredKeys = try Unpacked.message(request.desired_keys)
    recordIDs.reserveCapacity(request.n_record_ids)
    for index in 0..<request.n_record_ids {
      recordIDs.append(
        try RecordReader.recordID(request.record_ids[index], "record_ids[\(index)]")
      )
    }
  }
}
