/// The record that each user has in the default zone of the public and of the private database.
///
/// Its name is the user's. Its user saves it; nobody deletes it.
public enum UserRecord {
  /// Its type.
  public static let recordType = "Users"

  /// Why the records of users cannot be found otherwise than by name.
  ///
  /// - Parameters:
  ///   - subject: What is refused, for example "the query".
  ///   - verb: What it cannot do, for example "queried".
  /// - Returns: `permissionFailure`.
  package static func refusal(of subject: String, whatCannotBe verb: String) -> ItemError {
    ItemError(
      .permissionFailure,
      "\(subject): records of the type '\(recordType)' cannot be \(verb): fetch them by the names of users"
    )
  }
}

extension RecordID {
  /// Whether this is where the record of a user is.
  package func isUserRecord(of user: String) -> Bool {
    !user.isEmpty && recordName == user && zoneID == .default
  }
}

extension Record {
  /// Whether it is the record of the user who created it.
  package var isUserRecord: Bool {
    recordType == UserRecord.recordType
      && recordID.isUserRecord(of: created?.caller.user ?? "")
  }

  /// Refuses a record of the type `Users` that is not the caller's own.
  ///
  /// - Parameter caller: Who saves.
  /// - Throws: `ItemError` `permissionFailure` for another user's; `invalidArguments` for another zone, and for what
  ///   would delete it.
  package func checkUserRecord(savedBy caller: String) throws(ItemError) {
    guard recordType == UserRecord.recordType else { return }
    let name = Identifier.shown(recordID.recordName)
    guard recordID.zoneID == .default else {
      throw ItemError(
        .invalidArguments,
        "record \(name): records of the type '\(recordType)' are in the default zone only: use another type"
      )
    }
    guard recordID.isUserRecord(of: caller) else {
      throw ItemError(
        .permissionFailure,
        "record \(name) cannot be saved: a record of the type '\(recordType)' has the name of its user, who alone "
          + "saves it; yours is \(Identifier.shown(caller))"
      )
    }
    for field in fields.compound where field.value?.deletesItsRecord == true {
      throw ItemError(
        .invalidArguments,
        "record \(name): field '\(field.name)' has the action DELETE_SELF, and the record of a user is not deleted: "
          + "use NONE or VALIDATE"
      )
    }
  }
}

extension FieldValue {
  /// Whether it has a reference that deletes its record with the target.
  fileprivate var deletesItsRecord: Bool {
    switch self {
    case .reference(let reference): reference.action == .deleteSelf
    case .referenceList(let references): references.contains { $0.action == .deleteSelf }
    default: false
    }
  }
}
