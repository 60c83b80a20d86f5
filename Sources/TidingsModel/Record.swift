/// A record: a name, a type, fields, and what the server adds.
public struct Record {
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

  /// The values, in one piece of memory: a record is handed on often and changed in few places, so that a copy
  /// costs a reference until it is changed.
  ///
  /// Unchecked: only the record reaches it, whose own accesses are exclusive.
  @usableFromInline
  final class Storage {
    @exclusivity(unchecked) @usableFromInline var recordID: RecordID
    @exclusivity(unchecked) @usableFromInline var recordType: String
    @exclusivity(unchecked) @usableFromInline var fields: RecordFields
    @exclusivity(unchecked) @usableFromInline var changeTag = ""
    @exclusivity(unchecked) @usableFromInline var created: ModificationInfo?
    @exclusivity(unchecked) @usableFromInline var modified: ModificationInfo?
    @exclusivity(unchecked) @usableFromInline var parent: Reference?
    @exclusivity(unchecked) @usableFromInline var share: Share?
    @exclusivity(unchecked) @usableFromInline var shareRecordName = ""

    @usableFromInline
    init(_ recordID: RecordID, _ recordType: String, _ fields: RecordFields) {
      (self.recordID, self.recordType, self.fields) = (recordID, recordType, fields)
    }

    @usableFromInline
    init(copying other: Storage) {
      (recordID, recordType, fields) = (other.recordID, other.recordType, other.fields)
      (changeTag, created, modified) = (other.changeTag, other.created, other.modified)
      (parent, share, shareRecordName) = (other.parent, other.share, other.shareRecordName)
    }
  }

  @usableFromInline var storage: Storage

  /// A record that was never saved.
  @inlinable
  public init(recordID: RecordID, recordType: String, fields: RecordFields = RecordFields()) {
    storage = Storage(recordID, recordType, fields)
  }

  @inlinable
  mutating func makeUnique() {
    if !isKnownUniquelyReferenced(&storage) { storage = Storage(copying: storage) }
  }

  /// Which one.
  public var recordID: RecordID {
    @inlinable get { storage.recordID }
    @inlinable _modify {
      makeUnique()
      yield &storage.recordID
    }
  }

  /// The type, fixed when the record is created.
  public var recordType: String {
    @inlinable get { storage.recordType }
    @inlinable _modify {
      makeUnique()
      yield &storage.recordType
    }
  }

  /// By name.
  public var fields: RecordFields {
    @inlinable get { storage.fields }
    @inlinable _modify {
      makeUnique()
      yield &storage.fields
    }
  }

  /// The state: opaque, changed by every save; empty for a record never saved.
  public var changeTag: String {
    @inlinable get { storage.changeTag }
    @inlinable _modify {
      makeUnique()
      yield &storage.changeTag
    }
  }

  /// When, by whom and from where it was created; set by the server.
  public var created: ModificationInfo? {
    @inlinable get { storage.created }
    @inlinable _modify {
      makeUnique()
      yield &storage.created
    }
  }

  /// When, by whom and from where it was saved last; set by the server.
  public var modified: ModificationInfo? {
    @inlinable get { storage.modified }
    @inlinable _modify {
      makeUnique()
      yield &storage.modified
    }
  }

  /// The record that this one belongs to, in the same zone.
  ///
  /// In a save, `nil` keeps the stored parent, and one without a record name removes it.
  public var parent: Reference? {
    @inlinable get { storage.parent }
    @inlinable _modify {
      makeUnique()
      yield &storage.parent
    }
  }

  /// What it shares and with whom; only records of the type `cloudkit.share` have it.
  public var share: Share? {
    @inlinable get { storage.share }
    @inlinable _modify {
      makeUnique()
      yield &storage.share
    }
  }

  /// The name of the share of this record and its descendants, set by the server; empty: it has none.
  public var shareRecordName: String {
    @inlinable get { storage.shareRecordName }
    @inlinable _modify {
      makeUnique()
      yield &storage.shareRecordName
    }
  }
}

extension Record: Hashable {
  /// Whether all members are equal.
  public static func == (a: Self, b: Self) -> Bool {
    a.storage === b.storage
      || a.recordID == b.recordID && a.recordType == b.recordType && a.fields == b.fields
        && a.changeTag == b.changeTag && a.created == b.created && a.modified == b.modified
        && a.parent == b.parent && a.share == b.share && a.shareRecordName == b.shareRecordName
  }

  /// Hashes what differs most.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(recordID)
    hasher.combine(recordType)
    hasher.combine(fields)
    hasher.combine(changeTag)
  }
}

/// Unchecked: the storage is changed only where one record has it.
extension Record: @unchecked Sendable {}

/// The fields of a record, sorted by name, so that equal fields have equal bytes.
public struct RecordFields: Sendable, ExpressibleByDictionaryLiteral {
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
  /// Their encoded form, if they came in exactly that form; `nil` once they are changed.
  public private(set) var encoded: [UInt8]?

  /// No fields.
  public init() { sorted = [] }

  /// Fields in any order; of several with one name, the last counts.
  public init(_ fields: [Field]) {
    sorted = fields
    if !sorted.isStrictlySorted { sortAndUnique() }
  }

  /// Fields in the order of their names.
  ///
  /// - Parameters:
  ///   - fields: Each name once.
  ///   - encoded: Exactly what a codec would make of them.
  package init(_ fields: [Field], encoded: [UInt8]) {
    self.init(fields)
    self.encoded = encoded
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
      encoded = nil
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
    if sorted.isEmpty, !changes.sorted.contains(where: { $0.value == nil }) { return changes }
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
    // All that was there is replaced, and nothing removed.
    if changes.encoded != nil, merged.count == changes.sorted.count { return changes }
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
    // Fields of one name keep their order.
    sorted.sort { $0.name < $1.name }
    guard !sorted.isStrictlySorted else { return }
    var unique: [Field] = []
    for field in sorted {
      if unique.last?.name == field.name { unique.removeLast() }
      unique.append(field)
    }
    sorted = unique
  }
}

extension RecordFields: Hashable {
  /// Whether names and values are equal.
  public static func == (a: Self, b: Self) -> Bool { a.sorted == b.sorted }

  /// Hashes names and values.
  public func hash(into hasher: inout Hasher) { hasher.combine(sorted) }
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
