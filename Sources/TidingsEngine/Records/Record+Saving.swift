internal import TidingsModel

extension Record {
  /// Compares change tags.
  ///
  /// - Parameter row: What is stored.
  /// - Returns: Why the save is refused; `nil`: it is not.
  func conflict(with row: RecordTable.Row?) -> ItemError? {
    let name = recordID.recordName
    guard let row, row.body != nil else {
      guard !changeTag.isEmpty else { return nil }
      return ItemError(
        .unknownItem,
        "record '\(name)' was sent with a change tag and does not exist: remove the tag to create it"
      )
    }
    guard changeTag != row.changeTag else { return nil }
    return ItemError(
      .serverRecordChanged,
      changeTag.isEmpty
        ? "record '\(name)' exists and was sent without a change tag: merge your changes into the "
          + "server's record and save that"
        : "record '\(name)' has the change tag '\(row.changeTag)', not '\(changeTag)': merge "
          + "your changes into the server's record and save that"
    )
  }

  /// The record that a save makes of what is stored: fields and a parent that are not sent stay.
  ///
  /// - Parameters:
  ///   - old: What is stored; `nil`: nothing.
  ///   - replaces: Fields that are not sent do not stay.
  ///   - zone: The record's zone.
  ///   - modification: When and by whom it is saved.
  /// - Returns: The record to store.
  /// - Throws: `invalidArguments` for another type.
  func merged(
    into old: Record?,
    replacing replaces: Bool = false,
    in zone: ZoneEntry,
    _ modification: Record.ModificationInfo
  ) throws(ItemError) -> Record {
    if let old, old.recordType != recordType {
      throw ItemError(
        .invalidArguments,
        "record '\(recordID.recordName)' has the type '\(old.recordType)', not '\(recordType)': "
          + "the type of a record cannot change"
      )
    }
    var new = self
    new.fields = ((replaces ? nil : old?.fields) ?? RecordFields()).applying(fields)
    new.parent = parent ?? old?.parent
    new.shareRecordName = old?.shareRecordName ?? ""
    new.changeTag = RecordTable.changeTag(zone.head + 1)
    new.created = old?.created ?? modification
    new.modified = modification
    return new
  }
}

extension RecordID {
  /// There is nothing that could have the change tag with which the record is to be deleted.
  var absence: ItemError {
    ItemError(
      .unknownItem,
      "record '\(recordName)' is to be deleted with a change tag and does not exist: nothing is left to delete"
    )
  }

  /// Compares the change tag that a deletion expects with that of what is stored.
  ///
  /// - Returns: Why the deletion is refused; `nil`: it is not.
  func conflict(expecting tag: String, with row: RecordTable.Row) -> ItemError? {
    guard tag != row.changeTag else { return nil }
    return ItemError(
      .serverRecordChanged,
      "record '\(recordName)' has the change tag '\(row.changeTag)', not '\(tag)': look at the server's record, and "
        + "delete it with its tag"
    )
  }

  /// A name for a record that was sent without one.
  static func randomName() -> String {
    let bytes = Cryptography.randomBytes(16)
    return String(unsafeUninitializedCapacity: 36) { text in
      var count = 0
      func write(_ character: UInt8) {
        text[count] = character
        count += 1
      }
      func write(digit: UInt8) { write(digit < 10 ? 0x30 + digit : 0x41 - 10 + digit) }
      for (index, byte) in bytes.enumerated() {
        if index == 4 || index == 6 || index == 8 || index == 10 { write(UInt8(ascii: "-")) }
        write(digit: byte >> 4)
        write(digit: byte & 15)
      }
      return count
    }
  }
}

extension Limits {
  /// Refuses a record whose lists are too long.
  func checkMemberCount(of record: Record) throws(ItemError) {
    let count = record.fields.memberCount
    guard count <= listMembersPerRecordMax else {
      throw ItemError(
        .limitExceeded,
        "record '\(record.recordID.recordName)' has lists with \(count) members together and may "
          + "have \(listMembersPerRecordMax): spread them over several records"
      )
    }
  }
}
