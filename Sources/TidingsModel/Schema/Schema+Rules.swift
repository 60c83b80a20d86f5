extension Schema.Field {
  /// What is wrong with the indexes or the encryption, in words; `nil`: nothing.
  var problem: String? {
    if isEncrypted {
      guard type.canBeEncrypted else {
        return "\(type.text) cannot be ENCRYPTED: STRING, INT64, DOUBLE, BYTES, TIMESTAMP and "
          + "LOCATION can"
      }
      return indexes.isEmpty ? nil : "an ENCRYPTED field has no index: remove \(indexes.text)"
    }
    guard !indexes.isEmpty, case .values(let kind) = type else {
      return indexes.contains(.searchable) ? "only STRING and LIST<STRING> are SEARCHABLE" : nil
    }
    if kind == .asset || kind == .assetList {
      return "assets cannot be found by their values: remove \(indexes.text)"
    }
    if indexes.contains(.searchable), kind != .string, kind != .stringList {
      return "\(type.text) is not SEARCHABLE: only STRING and LIST<STRING> have words"
    }
    if indexes.contains(.sortable), kind.isList {
      return "\(type.text) is not SORTABLE: lists have no order"
    }
    return nil
  }
}

extension Schema.Field {
  /// A field that holds values of a kind.
  public init(holding kind: FieldValue.Kind, indexes: Schema.Indexes = []) {
    self.init(.values(kind.plain ?? kind), isEncrypted: kind.isEncrypted, indexes: indexes)
  }
}

extension Schema.FieldType {
  /// Values of this type can be encrypted.
  var canBeEncrypted: Bool {
    switch self {
    case .number: false
    case .values(let kind):
      kind.member.encrypted != nil
    }
  }
}

extension FieldValue.Kind {
  /// The kind of lists of this kind; `nil` for a list.
  var list: Self? { isList ? nil : Self(rawValue: "LIST<\(rawValue)>") }

  /// The kind of a list's members; itself for what is no list.
  var member: Self { Self.allCases.first { $0.list == self } ?? self }

  /// It is a kind of lists.
  public var isList: Bool { self == .unknownList || rawValue.hasPrefix("LIST<") }
}
