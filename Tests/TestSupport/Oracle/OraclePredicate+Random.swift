public import RandomSupport
internal import TidingsProto

extension OraclePredicate {
  /// One for a subscription: different ones never mean the same, so that channels can be distinguished.
  public static func watch(using random: inout SplitMix64) -> Self {
    let simple = { (random: inout SplitMix64) -> Self in
      switch random.below(4) {
      case 0: .compare(.init("n"), .greater, .init(.int64Value(Int64(random.below(4)))))
      case 1: .compare(.init("city"), .equal, .init(.stringValue(random.pick(["Oslo", "Rome"]))))
      case 2:
        .oneOf(
          .init("n"),
          [random.below(3), 3 + random.below(3)].map { .init(.int64Value(Int64($0))) }
        )
      default: .contains("tags", .init(.stringValue(random.pick(["a", "b"]))))
      }
    }
    switch random.below(6) {
    case 0: return .all
    case 1: return .not(simple(&random))
    case 2:
      return .and([
        .compare(.init("n"), .greater, .init(.int64Value(Int64(random.below(4))))),
        .compare(.init("city"), .equal, .init(.stringValue(random.pick(["Oslo", "Rome"])))),
      ])
    default: return simple(&random)
    }
  }

  /// Any of them, for queries.
  public static func any(depth: Int = 3, using random: inout SplitMix64) -> Self {
    let choice = random.below(depth > 0 ? 12 : 6)
    switch choice {
    case 0..<6: return comparison(using: &random)
    case 6: return random.oneIn(4) ? .none : .all
    case 7: return .not(any(depth: depth - 1, using: &random))
    case 8, 9:
      return .and((0...random.below(2) + 1).map { _ in any(depth: depth - 1, using: &random) })
    default:
      return .or((0...random.below(2) + 1).map { _ in any(depth: depth - 1, using: &random) })
    }
  }

  private static func comparison(using random: inout SplitMix64) -> Self {
    let relations: [Relation] = [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]
    switch random.below(14) {
    case 0...4:
      let field = random.pick(["n", "n", "city", "price", "when", "raw"])
      // Numbers of either type compare.
      let value = field == "n" ? random.pick(["n", "price"]) : field
      return .compare(
        .init(field),
        random.pick(relations),
        OracleFields.value(of: value, using: &random)
      )
    case 5:
      var field = Field("city")
      field.ignoresCase = random.oneIn(2)
      return .compare(
        field,
        random.pick([.equal, .beginsWith, .endsWith, .like]),
        random.pick(["o", "Oslo", "Ro", "R*", "?o*", "", "Å"])
      )
    case 6:
      let field = random.pick(["n", "city", "price"])
      return .oneOf(
        .init(field),
        (0...random.below(3)).map { _ in OracleFields.value(of: field, using: &random) }
      )
    case 7:
      let field = random.pick(["n", "price", "when", "city"])
      return .between(
        .init(field),
        OracleFields.value(of: field, using: &random),
        OracleFields.value(of: field, using: &random)
      )
    case 8:
      return random.oneIn(2)
        ? .contains("tags", random.pick(["a", "b", "B"]))
        : .contains("counts", random.pick([1, 2]))
    case 9:
      var field = Field("counts")
      field.members = random.pick([.any, .all])
      return .compare(field, random.pick(relations), .init(.int64Value(Int64(random.below(4)))))
    case 10:
      var field = Field("tags")
      field.members = random.pick([.any, .all])
      field.ignoresCase = random.oneIn(2)
      return .compare(
        field,
        random.pick([.equal, .beginsWith, .like]),
        random.pick(["a", "b", "*b"])
      )
    case 11:
      return .near(
        "place",
        OracleFields.location(using: &random),
        metres: random.pick([1_000_000, 3_000_000, 16_500_000])
      )
    case 12:
      let name = "r\(random.below(12))"
      let target = TidingsV1.Reference(
        recordID: random.oneIn(3) ? .init(name, zone: "attic") : .init(name)
      )
      return .compare(
        .init(random.pick(["owner", "parent"])),
        random.pick([.equal, .notEqual]),
        .init(.referenceValue(target))
      )
    default:
      if random.oneIn(2) {
        return .compare(
          .init(random.pick(["creatorUserRecordID", "lastModifiedUserRecordID"])),
          .equal,
          .init(.referenceValue(.init(recordID: .init(random.pick(["ada", "bob"])))))
        )
      }
      return .compare(
        .init("recordName"),
        random.pick([.equal, .beginsWith, .greater]),
        random.pick(["r1", "r5", "r"])
      )
    }
  }
}
