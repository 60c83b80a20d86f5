internal import TidingsModel

/// What a query or a subscription asks of records that no record can have, as the schema is now: it
/// would find nothing, and nobody would know why.
struct SchemaMismatches {
  /// Most that are reported at once.
  static let countMax = 8

  /// The record type is unknown: the fields were not looked at.
  let isTypeUnknown: Bool
  /// What is wrong, and what to do: one sentence each, sorted by field.
  let messages: [String]

  /// Looks for mismatches.
  ///
  /// - Parameters:
  ///   - recordType: The record type.
  ///   - predicate: What is compared.
  ///   - fields: Other fields that are named: to sort by, or to carry.
  ///   - environment: What is to be done depends on it.
  ///   - schema: The schema as the caller sees it.
  ///   - takesUnknownType: A type that the schema does not have may have any fields.
  init(
    of recordType: String,
    _ predicate: Predicate,
    fields: [String],
    _ environment: Environment,
    in schema: VisibleSchema,
    takesUnknownType: Bool = false
  ) {
    let type = schema.recordType(recordType)
    guard type != nil || takesUnknownType else {
      isTypeUnknown = true
      messages = [Self.unknownType(recordType, environment, in: schema)]
      return
    }
    isTypeUnknown = false
    var found: [String: String] = [:]
    if let type {
      for field in Set(fields).union(predicate.fields)
      where field != Predicate.Comparison.fullTextField && SystemField(name: field) == nil
        && type.fields[field] == nil
      {
        found[field] = Self.unknownField(field, of: recordType, type)
      }
    }
    for comparison in predicate.comparisons where found[comparison.field] == nil {
      let field = comparison.field
      if let problem = comparison.problem(
        of: field,
        in: type?.fields[field]?.field.type ?? SystemField(name: field).map { .values($0.kind) }
      ) {
        found[field] =
          SystemField(name: field) == nil
          ? "field '\(field)' of record type '\(recordType)' \(problem)"
          : "the system field '\(field)' \(problem)"
      }
    }
    messages = found.sorted { $0.key < $1.key }.prefix(Self.countMax).map(\.value)
  }

  /// The refusal of a query or subscription; `nil`: nothing is wrong.
  func refusal(of subject: String) -> ItemError? {
    guard !messages.isEmpty else { return nil }
    return ItemError(.invalidArguments, subject + ": " + messages.joined(separator: "; "))
  }

  private static func unknownType(
    _ name: String,
    _ environment: Environment,
    in schema: VisibleSchema
  ) -> String {
    let what = "record type '\(name)' is not in the schema"
    if let near = NearName.nearest(to: name, among: schema.recordTypes) {
      return "\(what): did you mean '\(near)'?"
    }
    return environment == .production
      ? "\(what) of production: deploy it from development first (rpcctl schema deploy)"
      : "\(what): save a record of it first, or declare it (rpcctl schema apply)"
  }

  private static func unknownField(
    _ name: String,
    of recordType: String,
    _ type: StoredSchema.RecordType
  ) -> String {
    let what = "record type '\(recordType)' has no field '\(name)'"
    let names = Array(type.fields.keys) + SystemField.allCases.map(\.name)
    if let near = NearName.nearest(to: name, among: names) {
      return "\(what): did you mean '\(near)'?"
    }
    return "\(what): name one that it has (rpcctl schema get), or declare it first"
  }
}

extension Predicate {
  /// All comparisons, in no order.
  fileprivate var comparisons: [Comparison] {
    var (comparisons, rest): ([Comparison], [Node]) = ([], [root])
    while let node = rest.popLast() {
      switch node {
      case .constant: break
      case .comparison(let comparison): comparisons.append(comparison)
      case .not(let operand): rest.append(operand)
      case .and(let operands), .or(let operands): rest += operands
      }
    }
    return comparisons
  }
}

extension Predicate.Comparison {
  /// Why a field of a type never satisfies this, whatever its value, in words that follow the field's
  /// name; `nil`: some value does, or the field is unknown.
  fileprivate func problem(of field: String, in type: Schema.FieldType?) -> String? {
    guard !isFullText, let type else { return nil }
    let (kind, isList, name) = (type.text, type.isList, self.operator.symbol)
    guard let fieldClass = type.meaningClass else {
      return "is \(kind), which cannot be compared: compare another field"
    }
    switch (modifier, isList) {
    case (.none, false):
      guard self.operator == .contains, fieldClass != .string else { break }
      return "is \(kind), and \(name) takes a list or a text: use = or IN"
    case (.none, true):
      if self.operator == .contains { break }
      return "is \(kind), and \(name) takes no list: write ANY before the field, or use CONTAINS"
    case (_, false):
      return "is \(kind), and ANY and ALL take a list: leave them out"
    case (_, true): break
    }
    guard let value = mismatch(with: fieldClass) else { return nil }
    return "is \(kind) and is compared with \(value): \(fieldClass.remedy)"
  }

  /// What is compared with a value that cannot have its type; `nil`: nothing.
  private func mismatch(with fieldClass: FieldValue.MeaningClass) -> String? {
    let compared = self.operator == .near ? Array(values.prefix(1)) : values
    return compared.first { $0.meaningClass != fieldClass }?.kind.rawValue
  }
}

extension Schema.FieldType {
  fileprivate var isList: Bool {
    if case .values(let kind) = self { kind.isList } else { false }
  }

  /// The class of the values, of a list of its members; `nil`: they cannot be compared.
  fileprivate var meaningClass: FieldValue.MeaningClass? {
    guard case .values(let kind) = self else { return .number }
    return switch kind {
    case .string, .stringList: .string
    case .int64, .double, .int64List, .doubleList: .number
    case .bytes, .bytesList: .bytes
    case .timestamp, .timestampList: .timestamp
    case .location, .locationList: .location
    case .reference, .referenceList: .reference
    default: nil
    }
  }
}

extension FieldValue.MeaningClass {
  /// What to write instead.
  fileprivate var remedy: String {
    switch self {
    case .number: "write a number, for example 5"
    case .string: "write a string, for example \"text\""
    case .bytes: "write bytes, for example <00ff>"
    case .timestamp: "write a time, for example @2026-01-02T03:04:05Z"
    case .location: "write a place, for example @location(48.1, 11.5), within a distance"
    case .reference: "write a reference, for example @reference(\"recordName\")"
    }
  }
}
