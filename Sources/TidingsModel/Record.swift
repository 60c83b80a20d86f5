/// A record: a name, a type, fields, and what the server adds.
public struct Record: Hashable, Sendable {
  /// When, by whom and from which device a record was written.
  public struct ModificationInfo: Hashable, Sendable {
    /// By the server's clock.
    public var timestamp: Timestamp
    /// The user and the device.
    public var caller: Caller

    /// Modification info from its parts.
    public init(timestamp: Timestamp, caller: Caller) {
      self.timestamp = timestamp
      self.caller = caller
    }
  }

  /// Which one.
  public var recordID: RecordID
  /// The type, fixed when the record is created.
  public var recordType: String
  /// By name.
  public var fields: RecordFields
  /// The state: opaque, changed by every save; empty for a record never saved.
  public var changeTag: String
  /// When, by whom and from where it was created; set by the server.
  public var created: ModificationInfo?
  /// When, by whom and from where it was saved last; set by the server.
  public var modified: ModificationInfo?
  /// The record that this one belongs to, in the same zone.
  ///
  /// In a save, `nil` keeps the stored parent, and one without a record name removes it.
  public var parent: Reference?
  /// What it shares and with whom; only records of the type `cloudkit.share` have it.
  public var share: Share?
  /// The name of the share of this record and its descendants, set by the server; empty: it has none.
  public var shareRecordName = ""

  /// A record that was never saved.
  public init(recordID: RecordID, recordType: String, fields: RecordFields = RecordFields()) {
    self.recordID = recordID
    self.recordType = recordType
    self.fields = fields
    changeTag = ""
  }
}

/// The fields of a record, sorted by name, so that equal fields have equal bytes.
public struct RecordFields: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  /// One field.
  public struct Field: Hashable, Sendable {
    /// `[A-Za-z][A-Za-z0-9_]*`.
    public var name: String
    /// `nil` removes the field from the stored record; never stored.
    public var value: FieldValue?

    /// A field, or `nil` to remove it.
    public init(name: String, value: FieldValue?) {
      self.name = name
      self.value = value
    }
  }

  /// In the order of their names, each name once.
  public private(set) var sorted: [Field]

  /// No fields.
  public init() { sorted = [] }

  /// Fields in any order; of several with one name, the last counts.
  public init(_ fields: [Field]) {
    sorted = fields
    if !sorted.isStrictlySorted { sortAndUnique() }
  }

  /// Fields from a literal.
  public init(dictionaryLiteral elements: (String, FieldValue)...) {
    self.init(elements.map { Field(name: $0.0, value: $0.1) })
  }

  /// The value of a field; `nil` when it is absent.
  public subscript(name: String) -> FieldValue? {
    get {
      let index = position(of: name)
      return index < sorted.count && sorted[index].name == name ? sorted[index].value : nil
    }
    set {
      let index = position(of: name)
      let isPresent = index < sorted.count && sorted[index].name == name
      if let newValue {
        let field = Field(name: name, value: newValue)
        if isPresent { sorted[index] = field } else { sorted.insert(field, at: index) }
      } else if isPresent {
        sorted.remove(at: index)
      }
    }
  }

  /// How many members the lists have, together.
  public var memberCount: Int {
    sorted.reduce(0) { count, field in count + (field.value?.memberCount ?? 0) }
  }

  /// Returns these fields with the changes of a save: values replace, `nil` removes.
  public func applying(_ changes: RecordFields) -> RecordFields {
    var merged: [Field] = []
    merged.reserveCapacity(sorted.count + changes.sorted.count)
    var old = sorted.startIndex
    for change in changes.sorted {
      while old < sorted.endIndex, sorted[old].name < change.name {
        merged.append(sorted[old])
        old += 1
      }
      if old < sorted.endIndex, sorted[old].name == change.name { old += 1 }
      if change.value != nil { merged.append(change) }
    }
    merged += sorted[old...]
    var result = RecordFields()
    result.sorted = merged
    return result
  }

  private func position(of name: String) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle].name < name { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func sortAndUnique() {
    var latest: [String: FieldValue?] = [:]
    for field in sorted { latest.updateValue(field.value, forKey: field.name) }
    sorted = latest.map { Field(name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
  }
}

extension [RecordFields.Field] {
  fileprivate var isStrictlySorted: Bool {
    var index = 1
    while index < count {
      guard self[index - 1].name < self[index].name else { return false }
      index += 1
    }
    return true
  }
}
