public import TidingsModel

/// Predicates and records over few fields and values, so that they meet often.
public struct RandomPredicates {
  public var random: SplitMix64

  private let recordTypes: [String]

  /// Predicates and records from a seed; the records are of the given types.
  public init(seed: UInt64, recordTypes: [String] = ["T"]) {
    self.recordTypes = recordTypes
    random = SplitMix64(seed: seed)
  }

  /// Of user fields, one with the name of a word of the language.
  public static let fields = ["a", "b", "c", "IN"]
  /// Canonical names and those of the schema.
  public static let systemFields = SystemField.allCases.flatMap { [$0.name, $0.schemaName] }
  public static let strings: [String] = [
    "", "a", "ab", "abc", "b", "é", "e\u{301}", "\u{0}\n\"\\'", "😀", "a\u{7f}",
    "AB", "É ab", "Bob, the SMITH", "bob", "smith bob", "The İstanbul", "Привет Ёлка", "*?",
  ]
  public static let patterns: [String] = [
    "*", "a*", "*b", "a?", "?", "*?", "a*c", "*a*b*", #"\*\?"#, "**", "?*b?", "*😀*", "B*b*", "ab",
    "*\u{301}", "*é*?", "", #"a\b*"#, "*?b*", "É*a?",
  ]
  public static let texts: [String] = [
    "bob", "BOB Smith", "the", "", "ab é", "istanbul", "елка, ПРИВЕТ", "a ab abc b", "e\u{301}",
  ]
  public static let big: Int64 = 9_007_199_254_740_993

  public mutating func scalar() -> FieldValue {
    switch random.below(12) {
    case 0, 1: return .string(random.pick(Self.strings))
    case 2, 3, 4: return .int64(Int64(random.below(6)) - 1)
    case 5, 6: return .double(Double(random.below(12)) / 2 - 1)
    case 7: return .int64(random.pick([Self.big, Self.big - 1, .min, .max]))
    case 8:
      return .double(
        random.pick([Double(Self.big), 0x1p63, -0x1p63, -0.0, 1e300, Double.leastNonzeroMagnitude])
      )
    case 9: return .bytes(random.pick([[], [0], [0, 255], [1]]))
    case 10:
      return .timestamp(timestamp())
    default:
      if Bool.random(using: &random) {
        return .location(position())
      }
      return .reference(reference())
    }
  }

  /// One of a few milliseconds, and often one of a few nanoseconds after it.
  public mutating func timestamp() -> Timestamp {
    var time = Timestamp(
      millisecondsSince1970: random.pick([-1, 0, 1, 1_767_323_045_678, -62_135_596_800_000])
    )
    time.nanoseconds += random.pick([0, 0, 1, 255, 256, 1_000, 65_536, 999_999])
    return time
  }

  public mutating func value() -> FieldValue {
    switch random.below(9) {
    case 3:
      return random.pick([
        .unknownList, .locationList([position()]), .referenceList([reference()]),
        .timestampList([timestamp()]), .bytesList([[0]]),
      ])
    case 0: return .stringList((0..<random.below(3)).map { _ in random.pick(Self.strings) })
    case 1: return .int64List((0..<random.below(3)).map { _ in Int64(random.below(4)) })
    case 2: return .doubleList((0..<random.below(3)).map { _ in Double(random.below(6)) / 2 })
    default: return scalar()
    }
  }

  public mutating func position() -> Location {
    Location(
      latitude: random.pick([0, -0.0, 48.5, 48.6, 90]),
      longitude: random.pick([11, 12, -180])
    )
  }

  private mutating func reference() -> Reference {
    let id = RecordID(
      recordName: random.pick(["r", "s", "a", "ab"]),
      zoneID: ZoneID(zoneName: random.pick(["z", "_defaultZone"]))
    )
    return Reference(recordID: id, action: random.pick([.none, .deleteSelf]))
  }

  /// Any comparison that has a meaning, with any operator.
  public mutating func comparison() -> Predicate.Comparison {
    while true {
      let comparison = candidate()
      // What has none is refused, and drawn again.
      if (try? Predicate(root: .comparison(comparison))) != nil { return comparison }
    }
  }

  private mutating func candidate() -> Predicate.Comparison {
    let name =
      random.oneIn(4)
      ? random.pick(Self.systemFields) : (random.oneIn(12) ? "self" : random.pick(Self.fields))
    let symbol = random.pick(Predicate.Comparison.Operator.allCases)
    var values = [scalar()]
    switch symbol {
    case .between:
      values = [.int64(Int64(random.below(5))), .double(Double(random.below(5)))]
    case .in: values = (0...random.below(4)).map { _ in scalar() }
    case .like: values = [.string(random.pick(Self.patterns))]
    case .containsAnyTokens, .containsAllTokens: values = [.string(random.pick(Self.texts))]
    case .near:
      values = [
        .location(position()),
        random.pick([.int64(0), .double(0.5), .int64(9_000), .int64(100_000)]),
      ]
    case .equal, .notEqual, .beginsWith, .endsWith, .contains:
      if random.oneIn(3) { values = [.string(random.pick(Self.strings + Self.texts))] }
    default: break
    }
    if let system = SystemField(name: name), random.oneIn(2) {
      for index in values.indices { values[index] = value(of: system) }
    }
    return Predicate.Comparison(
      field: name,
      operator: symbol,
      values: values,
      modifier: random.oneIn(3) ? random.pick([.any, .all]) : .none,
      isCaseInsensitive: random.oneIn(3)
    )
  }

  private mutating func value(of field: SystemField) -> FieldValue {
    switch field.kind {
    case .timestamp:
      .timestamp(randomTime())
    case .reference:
      random.oneIn(3) ? .string(random.pick(["a", "ab"])) : .reference(reference())
    default: .string(random.pick(["a", "ab", "b", "1"]))
    }
  }

  public mutating func node(depth: Int = 4) -> Predicate.Node {
    guard depth > 0 else { return .comparison(comparison()) }
    switch random.below(12) {
    case 0: return .constant(Bool.random(using: &random))
    case 1, 2: return .not(node(depth: depth - 1))
    case 3, 4, 5: return .and((0...random.below(3)).map { _ in node(depth: depth - 1) })
    case 6, 7, 8: return .or((0...random.below(3)).map { _ in node(depth: depth - 1) })
    default: return .comparison(comparison())
    }
  }

  public mutating func record() -> Record {
    var fields = RecordFields()
    for name in ["a", "b", "c", "IN"] where random.below(4) > 0 { fields[name] = value() }
    var record = Record(
      recordID: RecordID(
        recordName: random.pick(["a", "ab", "b"]),
        zoneID: ZoneID(zoneName: random.pick(["z", "_defaultZone"]))
      ),
      recordType: random.pick(recordTypes),
      fields: fields
    )
    if random.oneIn(2) { record.parent = reference() }
    if random.oneIn(4) { return record }
    record.changeTag = random.pick(["1", "ab"])
    record.created = modification()
    record.modified = modification()
    return record
  }

  private mutating func randomTime() -> Timestamp {
    Timestamp(seconds: 0, nanoseconds: random.pick([1_000_000, 1_000_001, 2_000_000]))
  }

  private mutating func modification() -> Record.ModificationInfo {
    Record.ModificationInfo(
      timestamp: randomTime(),
      caller: Caller(user: random.pick(["a", "ab", "r"]), device: "d")
    )
  }
}

extension Predicate {
  /// Whether a record with these fields matches.
  public func matches(_ fields: RecordFields) -> Bool {
    matches(Record(recordID: RecordID(recordName: "r"), recordType: "T", fields: fields))
  }
}
