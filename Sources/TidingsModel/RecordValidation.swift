extension Record {
  /// Checks the names and values of a record, whether to be saved or stored.
  ///
  /// The encoded size and the types of a schema are checked where they are known.
  ///
  /// - Throws: `invalidArguments`, with the record, the field, what is wrong and what to do.
  public func validate() throws(ItemError) {
    try recordID.validate()
    if let problem = Identifier.problem(inRecordType: recordType) { throw error(problem) }
    for field in fields.sorted { try validate(field) }
    guard let parent else { return }
    if let problem = FieldValue.reference(parent).problem { throw error("parent: \(problem)") }
    if parent.recordID.zoneID != recordID.zoneID {
      throw error(
        "the parent is in the zone \(Identifier.shown(parent.recordID.zoneID.zoneName)), "
          + "the record is not; a parent is in the record's zone"
      )
    }
  }

  private func validate(_ field: RecordFields.Field) throws(ItemError) {
    if let problem = Identifier.problem(inFieldName: field.name) { throw error(problem) }
    if let problem = SystemField.problem(inUserFieldName: field.name) { throw error(problem) }
    guard let problem = field.value?.problem else { return }
    throw error("field '\(field.name)': \(problem)")
  }

  private func error(_ problem: String) -> ItemError {
    ItemError(
      .invalidArguments,
      "record \(Identifier.shown(recordID.recordName)): \(problem)"
    )
  }
}

extension RecordID {
  /// Checks the names of a record and its zone.
  ///
  /// - Throws: `invalidArguments`, with the name, what is wrong and what to do.
  public func validate() throws(ItemError) {
    if let problem = Identifier.problem(inRecordName: recordName) {
      throw ItemError(.invalidArguments, problem)
    }
    try zoneID.validate()
  }
}

extension ZoneID {
  /// Checks the name of a zone.
  ///
  /// - Throws: `invalidArguments`, with the name, what is wrong and what to do.
  public func validate() throws(ItemError) {
    guard let problem = Identifier.problem(inZoneName: zoneName) else { return }
    throw ItemError(.invalidArguments, problem)
  }
}

extension DatabaseID {
  /// Checks the name of the container, and that a database which has an owner names one.
  ///
  /// - Throws: `badContainer` or `badDatabase`, with what is wrong and what to do.
  public func validate() throws(ItemError) {
    if let problem = Identifier.problem(inContainer: container) {
      throw ItemError(.badContainer, problem)
    }
    guard scope != .public, owner.isEmpty else { return }
    throw ItemError(
      .badDatabase,
      "only the public database has no owner; name the user whose database it is"
    )
  }
}
