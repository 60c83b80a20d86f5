internal import TidingsModel

// What can never fire as the schema is, is refused: nobody shall wait for what never comes.
extension SchemaTable {
  /// Refuses a subscription to types, fields and values that the schema does not have, and one that
  /// depends on the values of encrypted fields.
  ///
  /// It may carry encrypted fields as desired keys: whoever has the key opens them.
  ///
  /// - Parameters:
  ///   - subscription: The subscription.
  ///   - database: Its database.
  ///   - user: Who does not see types that only others' private saves need; `nil`: all are seen.
  /// - Throws: `ItemError` `invalidArguments`; `badContainer`; `SQLError`.
  func check(_ subscription: Subscription, in database: DatabaseID, for user: String?) throws {
    guard !subscription.recordType.isEmpty else { return }
    let schema = try entry(database.container, database.environment).stored
    let subject = "subscription \(Identifier.shown(subscription.subscriptionID))"
    let visible = VisibleSchema(schema, for: user)
    let mismatches = SchemaMismatches(
      of: subscription.recordType,
      subscription.predicate,
      fields: subscription.notificationInfo?.fields ?? [],
      database.environment,
      in: visible,
      // With an empty schema misspellings cannot be detected: a new application may subscribe first.
      takesUnknownType: database.environment == .development && visible.isEmpty
    )
    if let refusal = mismatches.refusal(of: subject) { throw refusal }
    guard let fields = schema.types[subscription.recordType]?.fields else { return }
    for name in subscription.predicate.fields.sorted()
    where fields[name]?.field.isEncrypted == true {
      throw ItemError.encrypted(
        name,
        of: subscription.recordType,
        "\(subject) cannot watch"
      )
    }
    for name in subscription.notificationInfo?.fieldsOfTexts ?? []
    where fields[name]?.field.isEncrypted == true {
      throw ItemError.encrypted(
        name,
        of: subscription.recordType,
        "the texts and the collapse id of \(subject) cannot show"
      )
    }
  }
}

extension NotificationInfo {
  /// The fields that it carries or shows; the collapse id may be a text of its own.
  fileprivate var fields: [String] {
    desiredKeys + alertLocalizationArgs + titleLocalizationArgs + subtitleLocalizationArgs
  }

  /// The fields whose values the server makes texts of.
  fileprivate var fieldsOfTexts: [String] {
    alertLocalizationArgs + titleLocalizationArgs + subtitleLocalizationArgs + [collapseIDKey]
  }
}

extension ItemError {
  /// The refusal of what would have to read an encrypted field.
  static func encrypted(_ field: String, of type: String, _ what: String) -> ItemError {
    ItemError(
      .invalidArguments,
      "\(what) the field '\(field)' of record type '\(type)': it is ENCRYPTED, and the server "
        + "cannot read it; use another field, or fetch the records and look there"
    )
  }
}
