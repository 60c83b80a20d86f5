public import RandomSupport
public import TidingsProto

/// The fields of the oracle's records, few and with few values, so that they meet often.
public enum OracleFields {
  public static let types = ["Houses", "Cars"]
  public static let names = [
    "n", "city", "tags", "price", "when", "raw", "place", "counts", "owner", "friends", "x",
  ]
  /// What records can be sorted by.
  public static let sortable = ["n", "city", "price", "when", "recordName", "creationDate"]
  /// The types that fields have, but for `x`, which takes any.
  public static let schemaTypes = [
    "n": "INT64", "city": "STRING", "tags": "LIST<STRING>", "price": "DOUBLE", "when": "TIMESTAMP",
    "raw": "BYTES", "place": "LOCATION", "counts": "LIST<INT64>", "owner": "REFERENCE",
    "friends": "LIST<REFERENCE>",
  ]
  /// The indexes that a field may have.
  public static func indexes(of field: String) -> [String] {
    let type = schemaTypes[field] ?? ""
    let words = type.contains("STRING") ? ["SEARCHABLE"] : []
    return ["QUERYABLE"] + (type.hasPrefix("LIST") ? [] : ["SORTABLE"]) + words
  }

  public static let cities = ["Oslo", "oslo", "Rome", "Roma", "", "a\0", "Ålesund"]
  static let locations = [(59.9, 10.7), (41.9, 12.5), (-33.9, 151.2), (64.1, -21.9)]

  /// A value that a field may have; for references, see `reference(in:among:using:)`.
  public static func value(of field: String, using random: inout SplitMix64) -> TidingsV1.FieldValue
  {
    switch field {
    case "n": .init(.int64Value(Int64(random.below(7))))
    case "city": .init(.stringValue(random.pick(cities)))
    case "tags":
      .init(.stringListValue(.init(values: random.pick([[], ["a"], ["b", "a"], ["B", "ab"]]))))
    case "price": .init(.doubleValue(Double(random.below(9)) / 2))
    case "when":
      .init(
        .timestampValue(
          .init(seconds: Int64(random.below(3)) - 1, nanos: random.pick([0, 5_000_000]))
        )
      )
    case "raw": .init(.bytesValue(random.pick([[], [0], [0, 255], [1]])))
    case "place": .init(.locationValue(location(using: &random)))
    case "counts":
      .init(.int64ListValue(.init(values: random.pick([[], [1], [3, 2], [0, 1, 2]]))))
    default: random.pick([1, "one", 1.5])
    }
  }

  public static func location(using random: inout SplitMix64) -> TidingsV1.Location {
    let (latitude, longitude) = random.pick(locations)
    return .init(latitude: latitude, longitude: longitude)
  }
}
