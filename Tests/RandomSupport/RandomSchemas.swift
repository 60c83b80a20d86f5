public import TidingsModel

/// Schemas over few names, so that two of them have much in common.
public struct RandomSchemas {
  public var random: SplitMix64

  public init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private static let types = ["House", "grant", "T_1", "RECORD", "Searchable"]
  private static let fields = [
    "a", "b", "grant", "Preferred", "QUERYABLE", "list", "number", "a_longer_name_9",
    "a_name_that_is_longer_than_all_the_others_and_stands_out",
  ]
  private static let roles = ["editor", "queryable", "R2"]

  public mutating func schema() -> Schema {
    var schema = Schema(roles: subset(Self.roles))
    for name in subset(Self.types) { schema.recordTypes[name] = recordType(roles: schema.roles) }
    return schema
  }

  /// The schema with some of it created again.
  public mutating func variation(of schema: Schema) -> Schema {
    let other = self.schema()
    var result = schema
    result.roles = random.oneIn(2) ? schema.roles : schema.roles.union(other.roles)
    for (name, type) in other.recordTypes where random.oneIn(2) {
      result.recordTypes[name] = type
      result.roles.formUnion(type.grants.keys.filter { !Schema.builtInRoles.contains($0) })
    }
    return result
  }

  private mutating func recordType(roles: Set<String>) -> Schema.RecordType {
    var type = Schema.RecordType()
    for name in subset(Self.fields) { type.fields[name] = field() }
    for name in subset(Set(SystemField.allCases.map(\.schemaName)).sorted()) where random.oneIn(3) {
      guard let system = SystemField(name: name) else { continue }
      let indexes = Schema.Indexes(rawValue: 1 + random.below(3))
      type.fields[name] = Schema.Field(.values(system.kind), indexes: indexes)
    }
    for role in subset(roles.sorted() + Schema.builtInRoles.sorted()) {
      type.grants[role] = Schema.Rights(rawValue: 1 + random.below(7))
    }
    return type
  }

  public mutating func field() -> Schema.Field {
    let kind = random.pick(
      FieldValue.Kind.allCases.filter { $0 != .unknownList && !$0.isEncrypted }
    )
    let isText = kind == .string || kind == .stringList
    let isList = kind.rawValue.hasPrefix("LIST")
    let type: Schema.FieldType =
      random.oneIn(6)
      ? .number(preferred: random.pick([nil, .int64, .double])) : .values(kind)
    if kind.rawValue.contains("ASSET") { return Schema.Field(.values(kind)) }
    if random.oneIn(6), type == .values(kind), !kind.rawValue.contains("REFERENCE") {
      return Schema.Field(type, isEncrypted: true)
    }
    var indexes: Schema.Indexes = []
    if random.oneIn(2) { indexes.insert(.queryable) }
    if random.oneIn(2), !isList || type != .values(kind) { indexes.insert(.sortable) }
    if random.oneIn(2), isText, type == .values(kind) { indexes.insert(.searchable) }
    return Schema.Field(type, indexes: indexes)
  }

  private mutating func subset(_ names: [String]) -> Set<String> {
    Set(names.filter { _ in random.oneIn(2) })
  }
}
