internal import TidingsModel

/// The fields of a record that the events of one change carry, when keeping them once takes less than
/// keeping them in each event.
struct SharedEventContent {
  /// The record, with these fields only.
  let record: Record
  /// The record was deleted: then events carry no fields, but the texts that are made of them.
  let isDeletion: Bool

  /// An event keeps what it carries itself up to this size.
  static let inlineBytesMax = 256

  /// Decides for the channels that a change fires; `nil` when each event had better keep its own.
  ///
  /// - Parameters:
  ///   - contents: What each event would carry, and what made it so; those beyond `inlineBytesMax`.
  ///   - record: The record after the change; of a deletion, before.
  ///   - isDeletion: The record was deleted.
  init?(
    of contents: [(info: NotificationInfo, bytes: Int)],
    _ record: Record,
    isDeletion: Bool
  ) {
    guard contents.count > 1 else { return nil }
    var names: Set<String> = []
    for content in contents { content.info.addFieldNames(to: &names, isDeletion: isDeletion) }
    let fields = record.fields.sorted.filter { names.contains($0.name) }
    let bytes = fields.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.byteCount ?? 0) }
    guard bytes < contents.reduce(0, { $0 + $1.bytes }) else { return nil }
    self.record = Record(
      recordID: record.recordID,
      recordType: record.recordType,
      fields: RecordFields(fields)
    )
    self.isDeletion = isDeletion
  }
}

extension NotificationInfo {
  /// The fields whose values notifications carry or show.
  fileprivate func addFieldNames(to names: inout Set<String>, isDeletion: Bool) {
    if !isDeletion { names.formUnion(desiredKeys) }
    names.formUnion(alertLocalizationArgs)
    names.formUnion(titleLocalizationArgs)
    names.formUnion(subtitleLocalizationArgs)
    if !collapseIDKey.isEmpty { names.insert(collapseIDKey) }
  }
}

extension NotificationInfo {
  /// Notifications may carry or show values of fields.
  var carriesFields: Bool {
    !desiredKeys.isEmpty || !alertLocalizationArgs.isEmpty || !titleLocalizationArgs.isEmpty
      || !subtitleLocalizationArgs.isEmpty || !collapseIDKey.isEmpty
  }
}

extension EventContent {
  /// An event had better share it.
  var isLarge: Bool { byteCount > SharedEventContent.inlineBytesMax }

  /// About how many bytes it takes.
  var byteCount: Int {
    var bytes = collapseID.utf8.count
    for field in fields.sorted { bytes += field.name.utf8.count + (field.value?.byteCount ?? 0) }
    for texts in [omittedKeys, alertValues, titleValues, subtitleValues] {
      for text in texts { bytes += text.utf8.count }
    }
    return bytes
  }
}
