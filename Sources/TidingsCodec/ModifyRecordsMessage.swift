package import TidingsModel
package import TidingsProto
internal import TidingsProtoC
package import TidingsProtobuf
internal import TidingsRPC
package import TidingsWire

/// What a call of ModifyRecords asks for.
package struct ModifyRecordsMessage {
  package var databaseID: TidingsV1.DatabaseID?
  package var saves: [Record] = []
  /// Why a save cannot be read, by its position; of such a record only the name is known.
  package var refusals: [Int: ItemError] = [:]
  package var deletions: [RecordID] = []
  package var expectedTags: [String] = []
  package var policyNumber: Int32 = 0
  package var policyNumbers: [Int32] = []
  package var isAtomic: Bool?
  package var isDryRun = false
  package var clientChangeToken: [UInt8] = []

  /// Reads an encoded request.
  ///
  /// - Throws: `RPCError` or `MessageDecodingError` with the path to what is not valid.
  package init(_ bytes: UnsafeRawBufferPointer, in arena: borrowing Arena) throws {
    if let lent = LentBytes(bytes), let plain = try? Self(plain: lent) {
      self = plain
    } else {
      try self.init(unpacking: bytes, in: arena)
    }
  }

  /// Reads a request without protobuf-c, if all of it is plain.
  package init(plain bytes: PlainRecordReader.Bytes) throws(WireError) {
    typealias Field = TidingsV1.ModifyRecordsRequest.FieldNumber
    var wire = WireReader(bytes)
    while let (member, value) = try wire.next() {
      switch (member, value) {
      case (Field.databaseID, .bytes(let content)) where databaseID == nil:
        databaseID = try Self.databaseID(content)
      case (Field.recordsToSave, .bytes(let content))
      where saves.count < PlainRecordReader.countMax:
        saves.append(try PlainRecordReader.record(content))
      case (Field.recordIDsToDelete, .bytes(let content))
      where deletions.count < PlainRecordReader.countMax:
        deletions.append(try PlainRecordReader.recordID(content))
      case (Field.savePolicy, .varint(let number)):
        policyNumber = Int32(truncatingIfNeeded: number)
      case (Field.atomic, .varint(let flag)): isAtomic = flag != 0
      case (Field.dryRun, .varint(let flag)): isDryRun = flag != 0
      case (Field.clientChangeTokenData, .bytes(let content)):
        clientChangeToken = [UInt8](content)
      case (Field.expectedChangeTags, .bytes(let content))
      where expectedTags.count < PlainRecordReader.countMax:
        expectedTags.append(try PlainRecordReader.text(content))
      // Packed numbers are read by protobuf-c.
      default: throw WireError()
      }
    }
  }

  static func databaseID(
    _ bytes: PlainRecordReader.Bytes
  ) throws(WireError) -> TidingsV1.DatabaseID {
    typealias Field = TidingsV1.DatabaseID.FieldNumber
    var id = TidingsV1.DatabaseID()
    var members = OrderedMembers(bytes)
    while let (member, value) = try members.next() {
      switch (member, value) {
      case (Field.container, .bytes(let content)):
        id.container = try PlainRecordReader.text(content)
      case (Field.environment, .varint(let number)):
        id.environment = .init(rawValue: Int32(truncatingIfNeeded: number))
      case (Field.scope, .varint(let number)):
        id.scope = .init(rawValue: Int32(truncatingIfNeeded: number))
      default: throw WireError()
      }
    }
    return id
  }

  /// Reads a request with protobuf-c.
  package init(unpacking bytes: UnsafeRawBufferPointer, in arena: borrowing Arena) throws {
    let request = try TidingsV1.ModifyRecordsRequest.unpack(bytes.bytes, in: arena)
      .assumingMemoryBound(to: Tidings__V1__ModifyRecordsRequest.self).pointee
    databaseID = try Unpacked.message(request.database_id)
    saves.reserveCapacity(request.n_records_to_save)
    for index in 0..<request.n_records_to_save {
      guard let message = request.records_to_save[index] else { continue }
      let path = "records_to_save[\(index)]"
      do {
        saves.append(try RecordReader.record(message, path))
      } catch {
        // A record that cannot be read does not fail the others.
        let id = try RecordReader.recordID(message.pointee.record_id, "\(path).record_id")
        refusals[saves.count] = ItemError(
          .invalidArguments,
          "record \(Identifier.shown(id.recordName)): \(error.message)",
          cause: error
        )
        saves.append(Record(recordID: id, recordType: ""))
      }
    }
    for index in 0..<request.n_record_ids_to_delete {
      deletions.append(
        try RecordReader.recordID(
          request.record_ids_to_delete[index],
          "record_ids_to_delete[\(index)]"
        )
      )
    }
    policyNumber = Int32(bitPattern: request.save_policy.rawValue)
    isAtomic = request._atomic_case.rawValue == 0 ? nil : request.atomic != 0
    isDryRun = request.dry_run != 0
    clientChangeToken = RecordReader.bytes(request.client_change_token_data)
    policyNumbers = (0..<request.n_save_policies).map {
      Int32(bitPattern: request.save_policies[$0].rawValue)
    }
    for index in 0..<request.n_expected_change_tags {
      expectedTags.append(
        try RecordReader.string(
          request.expected_change_tags[index],
          "expected_change_tags[\(index)]"
        )
      )
    }
  }
}
