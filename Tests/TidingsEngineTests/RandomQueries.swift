internal import RandomSupport
internal import TidingsModel

@testable internal import TidingsEngine

/// Records whose fields keep their types, and queries that often match some of them.
struct RandomQueries {
  private var values: RandomPredicates
  let kinds: [String: FieldValue.Kind]

  static let zones = ["_defaultZone", "b", "a"]
  static let fields = ["a", "b", "c", "d"]
  static let types = ["T", "T", "U"]
  /// Texts that differ only behind what spellings are looked for by, and in case.
  private static let longTexts = ["", "a", "A", "\u{301}"].flatMap { tail in
    ["xY", "xy"].map { String(repeating: $0, count: 65) + tail }
  }
  /// The last one has a word that begins with a mark.
  private static let words = RandomPredicates.texts + ["ab b", "smith", "bob \u{93e}b"]

  var random: SplitMix64 {
    get { values.random }
    set { values.random = newValue }
  }

  init(seed: UInt64) {
    var values = RandomPredicates(seed: seed)
    let kinds: [FieldValue.Kind] = [
      .string, .int64, .double, .int64, .double, .bytes, .timestamp, .location, .reference,
      .stringList, .int64List, .doubleList, .string, .string, .location,
    ]
    self.kinds = Dictionary(
      uniqueKeysWithValues: Self.fields.map { ($0, values.random.pick(kinds)) }
    )
    self.values = values
  }

  static let names = ["a", "ab", "b", "c", "d", "e", "f f", "~"]

  mutating func name() -> String { random.pick(Self.names) }

  mutating func recordID() -> RecordID {
    RecordID(recordName: name(), zoneID: ZoneID(zoneName: random.pick(Self.zones)))
  }

  mutating func record() -> Record {
    var fields = RecordFields()
    for name in Self.fields where random.below(5) > 0 { fields[name] = value(of: name) }
    let id = recordID()
    // The type of a record cannot change.
    let type = id.recordName == "c" ? "U" : "T"
    return Record(recordID: id, recordType: type, fields: fields)
  }

  private mutating func value(of field: String) -> FieldValue? {
    guard let kind = kinds[field] else { return nil }
    if kind == .stringList, random.oneIn(2) {
      return .stringList((0..<random.below(4)).map { _ in random.pick(Self.longTexts + ["a"]) })
    }
    for _ in 0..<500 {
      let value = values.value()
      if value.kind == kind { return value.withoutAction }
    }
    return nil
  }

  /// A scalar of the field's type or that of its members, or sometimes any.
  private mutating func operand(of field: String) -> FieldValue {
    for _ in 0..<40 {
      let value = values.scalar()
      guard random.below(6) > 0, let kind = kinds[field] else { return value }
      if kind == value.kind || kind.rawValue == "LIST<\(value.kind.rawValue)>"
        || kind == .double && value.kind == .int64 || kind == .int64 && value.kind == .double
      {
        return value
      }
    }
    return values.scalar()
  }

  mutating func comparison() -> Predicate.Comparison {
    if random.oneIn(8) {
      let symbols: [Predicate.Comparison.Operator] = [
        .equal, .greaterThan, .lessThanOrEqual, .beginsWith, .in,
      ]
      return .init(
        field: "recordName",
        operator: random.pick(symbols),
        values: [.string(name())]
      )
    }
    if random.oneIn(10) {
      return .init(
        field: "self",
        operator: random.pick([.containsAnyTokens, .containsAllTokens]),
        values: [.string(random.pick(Self.words))]
      )
    }
    let field = random.pick(Self.fields)
    if kinds[field] == .location, random.oneIn(2) { return near(field) }
    let isText = kinds[field] == .string || kinds[field] == .stringList
    if isText, random.oneIn(3) { return withoutCase(field) }
    let isList = kinds[field]?.rawValue.hasPrefix("LIST") == true
    if isList, random.below(5) > 0 {
      return .init(field: field, operator: .contains, values: [operand(of: field)])
    }
    if kinds[field] == .string, random.oneIn(2) {
      return .init(
        field: field,
        operator: random.pick([.containsAnyTokens, .containsAllTokens, .contains]),
        values: [.string(random.pick(Self.words))]
      )
    }
    switch random.below(8) {
    case 0, 1: return .init(field: field, operator: .equal, values: [operand(of: field)])
    case 2, 3:
      let count = 1 + random.below(4)
      return .init(
        field: field,
        operator: .in,
        values: (0..<count).map { _ in operand(of: field) }
      )
    case 4:
      return .init(
        field: field,
        operator: .beginsWith,
        values: [.string(random.pick(RandomPredicates.strings))]
      )
    default:
      let symbols: [Predicate.Comparison.Operator] = [
        .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual,
      ]
      return .init(field: field, operator: random.pick(symbols), values: [operand(of: field)])
    }
  }

  private mutating func near(_ field: String) -> Predicate.Comparison {
    var centre = values.position()
    if random.oneIn(2) { centre.longitude = random.pick([179.9, 180, -179.9]) }
    let metres = random.pick([0.5, 9_000, 12_000, 100_000, 2_000_000, 9_000_000, 21_000_000])
    return .init(field: field, operator: .near, values: [.location(centre), .double(metres)])
  }

  /// A comparison of texts without regard to case.
  private mutating func withoutCase(_ field: String) -> Predicate.Comparison {
    let isOfLongTexts = kinds[field] == .stringList && random.oneIn(2)
    let texts =
      isOfLongTexts ? Self.longTexts : RandomPredicates.strings + RandomPredicates.texts
    let symbol: Predicate.Comparison.Operator =
      kinds[field] == .stringList
      ? .contains : random.pick([.equal, .in, .beginsWith, .like, .contains])
    let text: String =
      switch symbol {
      case .like: random.pick(RandomPredicates.patterns)
      case .beginsWith: random.pick(texts.map { String($0.prefix(random.below(4))) })
      default: random.pick(texts)
      }
    let isUpper = random.oneIn(2)
    let values = symbol == .in ? [text, random.pick(texts)] : [text]
    return .init(
      field: field,
      operator: symbol,
      values: values.map { .string(isUpper ? $0.uppercased() : $0) },
      isCaseInsensitive: true
    )
  }

  /// Comparisons of one field or several, one of which must hold.
  private mutating func alternatives() -> Predicate.Node {
    .or(
      (0...(1 + random.below(3))).map { _ in
        random.oneIn(3)
          ? .and([.comparison(comparison()), .comparison(comparison())]) : .comparison(comparison())
      }
    )
  }

  mutating func predicate() -> Predicate {
    while true {
      let node: Predicate.Node =
        switch random.below(8) {
        case 0: .constant(true)
        case 1: values.node(depth: 3)
        case 2: alternatives()
        case 3: .and([alternatives(), .comparison(comparison())])
        default: .and((0...random.below(3)).map { _ in .comparison(comparison()) })
        }
      // Some comparisons have no meaning, an order of locations for one.
      if let predicate = try? Predicate(root: node) { return predicate }
    }
  }

  mutating func sortKeys() -> [RecordQuery.SortKey] {
    let names =
      Self.fields + [
        "recordName", "modificationDate", "creationDate", "creatorUserRecordID", "recordID",
      ]
    return (0..<random.pick([0, 0, 1, 1, 1, 2, 3])).compactMap { _ in
      let name = random.pick(names)
      let kind = kinds[name]
      if kind == .location {
        return .init(
          field: name,
          relativeLocation: Location(latitude: Double(random.below(60)), longitude: 11)
        )
      }
      if kind?.rawValue.hasPrefix("LIST") == true { return nil }
      return .init(field: name, isDescending: random.oneIn(2))
    }
  }

  mutating func query(in database: DatabaseID) -> RecordQuery {
    RecordQuery(
      database: database,
      recordType: "T",
      predicate: predicate(),
      sortKeys: sortKeys(),
      zoneID: random.oneIn(3) ? ZoneID(zoneName: random.pick(Self.zones)) : nil
    )
  }
}

extension FieldValue {
  /// The value without an action of a reference, which would need a target.
  fileprivate var withoutAction: FieldValue {
    if case .reference = self { canonicalMeaning } else { self }
  }
}

/// A plain model of what a query means.
struct PlainQuery {
  let query: RecordQuery
  /// The zones in the order of their first use.
  let zones: [String]

  func matches(_ record: Record) -> Bool {
    record.recordType == query.recordType && query.predicate.matches(record)
      && (query.zoneID ?? record.recordID.zoneID) == record.recordID.zoneID
  }

  /// Whether a record may stand before another.
  func allows(_ a: Record, before b: Record) -> Bool {
    for key in query.sortKeys {
      let (first, second) = (value(key, a), value(key, b))
      guard let first, let second else {
        if first == nil && second == nil { continue }
        return second == nil
      }
      let order = first.meaningOrder(second) ?? 0
      if order != 0 { return key.isDescending ? order > 0 : order < 0 }
    }
    if query.sortKeys.isEmpty { return true }
    return position(a) < position(b)
  }

  private func position(_ record: Record) -> (Int, String) {
    let id = record.recordID
    return (zones.firstIndex(of: id.zoneID.zoneName) ?? -1, id.recordName)
  }

  private func value(_ key: RecordQuery.SortKey, _ record: Record) -> FieldValue? {
    let value = record.predicateValue(key.field)
    guard let position = key.relativeLocation else { return value }
    guard case .location(let own)? = value else { return nil }
    return .double(own.distance(to: position))
  }
}
