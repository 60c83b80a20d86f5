/// The name that clients have for whoever calls: CloudKit's `CKCurrentUserDefaultName`.
///
/// It is resolved where a call names a user: as the target of a reference, as what a user is compared with, and as the
/// owner of a zone. Nothing is stored under it, and no record has it as its name.
enum CurrentUser {
  static let name = "__defaultOwner__"

  /// Why a call without a user cannot use the name.
  static let absence =
    "'\(name)' stands for the caller, and this call has no user: sign in, or name the user"

  /// Why the name is no record's.
  static let problemInRecordName =
    "'\(name)' stands for the caller in references and predicates, and is no record's name: the record of a user "
    + "has the user's own name, which FetchUserRecordID answers"
}
