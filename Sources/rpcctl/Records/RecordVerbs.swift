extension Verb {
  /// The verbs that are only `records …`; others are aliases of operations.
  static let recordVerbs = [
    putRecords, setRecord, deleteRecords, editRecord, countRecords, diffRecords, waitForRecord,
    recordTemplate,
  ]
}
