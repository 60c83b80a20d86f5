internal import TidingsModel

/// Why a call is refused by the rights of its caller.
extension ItemError {
  /// A right on a type is missing.
  ///
  /// - Parameters:
  ///   - right: Its word in the schema language.
  ///   - recordType: The type.
  ///   - what: What is refused.
  /// - Returns: `permissionFailure`, which says what is missing and who can grant it.
  static func lacks(_ right: String, on recordType: String, _ what: String) -> ItemError {
    ItemError(.permissionFailure, "\(what): \(missing(right, on: recordType))")
  }

  /// A type cannot be read by callers without an account.
  static func anonymousLacksRead(on recordType: String) -> ItemError {
    ItemError(
      .notAuthenticated,
      "records of the type '\(recordType)' cannot be read without an account: call as a user who has "
        + "the right READ on the type"
    )
  }

  /// The right that is missing, and who can grant it.
  static func missing(_ right: String, on recordType: String) -> String {
    "the user lacks the right \(right) on the record type '\(recordType)' of the public database; a "
      + "developer can grant it to a role of the schema (GRANT \(right) TO \"role\"; rpcctl schema "
      + "apply), an administrator can give the user a role that has it (rpcctl users roles)"
  }
}
