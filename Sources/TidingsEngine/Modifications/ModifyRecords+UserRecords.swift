internal import TidingsModel

extension ModifyRecords {
  /// Refuses a new record of another type under a name that belongs to the record of a user.
  func checkNameIsFree(for sent: Record, _ call: RecordCall) throws {
    let id = sent.recordID
    guard sent.recordType != UserRecord.recordType, id.zoneID == .default else { return }
    let isKept =
      try id.isUserRecord(of: call.modification.caller.user)
      || call.database.id.scope == .public && hasAccount(id.recordName)
    guard isKept else { return }
    throw ItemError(
      .invalidArguments,
      "record '\(id.recordName)': in the default zone the name of a user is kept for the user's record, of the type "
        + "'\(UserRecord.recordType)': choose another name, or leave it empty for a random one"
    )
  }

  /// Refuses to delete the record of a user, also one that was never saved.
  func checkDeletion(of id: RecordID, _ stored: Record?, _ call: RecordCall) throws(ItemError) {
    guard !call.erasesUser else { return }
    let user = call.modification.caller.user
    guard stored.map(\.isUserRecord) ?? (call.participant == nil && id.isUserRecord(of: user))
    else { return }
    throw ItemError(
      .permissionFailure,
      "record '\(id.recordName)' is the record of a user and cannot be deleted: remove its fields instead"
    )
  }
}
