extension Record {
  /// Checks the names and values of a record, whether to be saved or stored.
  ///
  /// The encoded size and the types of a schema are checked where they are known.
  ///
  /// - Parameter namesAreKnown: The names of the type and the fields are in use, so that they need not be checked.
  /// - Throws: `invalidArguments`, with the record, the field, what is wrong and what to do.
  public func validate(namesAreKnown: Bool = false) throws(ItemError) {
    try recordID.validate()
    try validateShare(typeIsKnown: namesAreKnown)
    if !namesAreKnown { for field in fields.sorted { try validateName(of: field) } }
    for field in fields.compound {
      switch field.value {
      case nil, .string?, .int64?, .bytes?: break
      default: try validateValue(of: field)
      }
    }
    guard let parent else { return }
    if let problem = FieldValue.reference(parent).problem { throw error("parent: \(problem)") }
    guard parent.action == .none else {
      throw error("the parent has an action; use the action NONE: a parent binds by itself")
    }
    if let problem = zoneProblem(of: parent) { throw error("the parent \(problem)") }
  }

  private func validateName(of field: RecordFields.Field) throws(ItemError) {
    if let problem = Identifier.problem(inFieldName: field.name) { throw error(problem) }
    if let problem = SystemField.problem(inUserFieldName: field.name) { throw error(problem) }
  }

  private func validateValue(of field: RecordFields.Field) throws(ItemError) {
    guard let problem = field.value?.problem ?? zoneProblem(in: field.value) else { return }
    throw error("field '\(field.name)': \(problem)")
  }

  /// Only a reference with the action NONE may point out of its record's zone.
  private func zoneProblem(in value: FieldValue?) -> String? {
    switch value {
    case .reference(let reference) where reference.action != .none:
      zoneProblem(of: reference).map { "the reference \($0); or use the action NONE" }
    case .referenceList(let references):
      references.lazy.filter { $0.action != .none }.compactMap(zoneProblem).first
        .map { "a reference of the list \($0); or use the action NONE" }
    default: nil
    }
  }

  private func zoneProblem(of reference: Reference) -> String? {
    let (zone, target) = (recordID.zoneID, reference.recordID)
    guard target.zoneID != zone else { return nil }
    return "to \(Identifier.shown(target.recordName)) is in the zone "
      + "\(Identifier.shown(target.zoneID.zoneName)) and its record in "
      + "\(Identifier.shown(zone.zoneName)): they must be in one zone"
  }

  private func validateShare(typeIsKnown: Bool) throws(ItemError) {
    guard recordType == Share.recordType else {
      if !typeIsKnown, let problem = Identifier.problem(inRecordType: recordType) {
        throw error(problem)
      }
      guard share == nil else {
        throw error("only records of the type '\(Share.recordType)' have a share; leave it out")
      }
      guard recordID.recordName == Share.zoneWideName else { return }
      throw error("this name is kept for the share of a zone; choose another")
    }
    guard let share else {
      throw error("a record of the type '\(Share.recordType)' needs its member 'share'")
    }
    if let problem = share.problem(named: recordID.recordName) { throw error(problem) }
    guard parent == nil, !fields.compound.contains(where: { $0.value?.binds == true }) else {
      throw error("a share has no parent, and only references with the action NONE")
    }
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

extension FieldValue {
  /// Whether it has a reference with a meaning when the target is deleted.
  fileprivate var binds: Bool {
    switch self {
    case .reference(let reference): reference.action != .none
    case .referenceList(let references): references.contains { $0.action != .none }
    default: false
    }
  }
}
