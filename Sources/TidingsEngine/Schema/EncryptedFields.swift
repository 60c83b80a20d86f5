internal import TidingsModel

// What would have to look into encrypted fields is refused, so that nobody waits for what never comes.
extension SchemaTable {
  /// Refuses a subscription that depends on the values of encrypted fields.
  ///
  /// It may carry them as desired keys: whoever has the key opens them.
  ///
  /// - Throws: `ItemError` `invalidArguments`; `SQLError`.
  func checkReadable(_ subscription: Subscription, in database: DatabaseID) throws {
    guard subscription.kind == .query else { return }
    let schema = try entry(database.container, database.environment).stored
    guard let fields = schema.types[subscription.recordType]?.fields else { return }
    let subject = "subscription \(Identifier.shown(subscription.subscriptionID))"
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
