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

  private enum Form: Sendable {
    case list([Field])
    case packed(PackedFields)
  }

  private var form: Form

  /// No fields.
  public init() { form = .list([]) }

  /// Fields in any order; of several with one name, the last counts.
  public init(_ fields: [Field]) {
    form = .list(fields.isStrictlySorted ? fields : fields.byName())
  }

  /// Fields that are encoded, and are read where something asks for them.
  package init(_ packed: PackedFields) { form = .packed(packed) }

  /// Fields from a literal.
  public init(dictionaryLiteral elements: (String, FieldValue)...) {
    self.init(elements.map { Field(name: $0.0, value: $0.1) })
  }

  /// In the order of their names, each name once.
  public var sorted: [Field] {
    switch form {
    case .list(let fields): fields
    case .packed(let packed): packed.fields
    }
  }

  /// Their encoded form, if they have it; it is lost with the first change.
  package var packed: PackedFields? {
    if case .packed(let packed) = form { packed } else { nil }
  }

  /// The fields that may be lists, locations, references, assets or encrypted: packed ones are not.
  package var compound: [Field] {
    if case .list(let fields) = form { fields } else { [] }
  }

  /// Whether both are one and the same encoded form.
  package func isSame(as other: RecordFields) -> Bool {
    packed.map { $0 === other.packed } ?? false
  }

  /// How many there are.
  public var count: Int {
    switch form {
    case .list(let fields): fields.count
    case .packed(let packed): packed.count
    }
  }

  /// The value of a field; `nil` when it is absent.
  public subscript(name: String) -> FieldValue? {
    get {
      switch form {
      case .list(let fields):
        let index = fields.position(of: name)
        return index < fields.count && fields[index].name == name ? fields[index].value : nil
      case .packed(let packed): return packed.value(of: name)
      }
    }
    set {
      var fields = sorted
      form = .list([])
      let index = fields.position(of: name)
      let isPresent = index < fields.count && fields[index].name == name
      if let newValue {
        let field = Field(name: name, value: newValue)
        if isPresent { fields[index] = field } else { fields.insert(field, at: index) }
      } else if isPresent {
        fields.remove(at: index)
      }
      form = .list(fields)
    }
  }

  /// How many members the lists have, together.
  public var memberCount: Int {
    compound.reduce(0) { count, field in count + (field.value?.memberCount ?? 0) }
  }

  /// Returns these fields with the changes of a save: values replace, `nil` removes.
  public func applying(_ changes: RecordFields) -> RecordFields {
    if case .packed(let new) = changes.form {
      if count == 0 { return changes }
      if case .packed(let old) = form { return RecordFields(old.applying(new)) }
    }
    let (sorted, changed) = (sorted, changes.sorted)
    if sorted.isEmpty, !changed.contains(where: { $0.value == nil }) { return changes }
    var merged: [Field] = []
    merged.reserveCapacity(sorted.count + changed.count)
    var old = sorted.startIndex
    for change in changed {
      while old < sorted.endIndex, sorted[old].name < change.name {
        merged.append(sorted[old])
        old += 1
      }
      if old < sorted.endIndex, sorted[old].name == change.name { old += 1 }
      if change.value != nil { merged.append(change) }
    }
    merged += sorted[old...]
    // All that was there is replaced, and nothing removed.
    if changes.packed != nil, merged.count == changed.count { return changes }
    var result = RecordFields()
    result.form = .list(merged)
    return result
  }
}

extension RecordFields: Hashable {
  /// Whether names and values are equal.
  public static func == (a: Self, b: Self) -> Bool {
    if let a = a.packed, let b = b.packed, a.hasSameBytes(as: b) { return true }
    return a.sorted == b.sorted
  }

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

  /// The position of a name, or where it would be.
  fileprivate func position(of name: String) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].name < name { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// In the order of their names; of several with one name, the last counts.
  fileprivate func byName() -> Self {
    // Fields of one name keep their order.
    let sorted = sorted { $0.name < $1.name }
    guard !sorted.isStrictlySorted else { return sorted }
    var unique: Self = []
    for field in sorted {
      if unique.last?.name == field.name { unique.removeLast() }
      unique.append(field)
    }
    return unique
  }
}
