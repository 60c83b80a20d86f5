internal import TidingsModel

/// Keys from one up to another, which is not among them.
struct KeyRange: Hashable {
  var lower: IndexKey
  var upper: IndexKey

  /// One key.
  init(_ key: IndexKey) { self.init(lower: key, upper: key.successor) }

  init(lower: IndexKey, upper: IndexKey) {
    self.lower = lower
    self.upper = upper
  }

  /// All keys of scalar values, without that of absent ones.
  static let scalars = KeyRange(lower: IndexKey(bytes: []), upper: .afterScalars)
  /// The key of absent values.
  static let absent = KeyRange(.absent)

  var isEmpty: Bool { upper <= lower }

  /// The key, when there is only one.
  var key: IndexKey? { upper == lower.successor ? lower : nil }

  func contains(_ key: IndexKey) -> Bool { lower <= key && key < upper }

  /// The keys that are in this range and in another.
  func intersection(_ other: KeyRange) -> KeyRange {
    KeyRange(lower: max(lower, other.lower), upper: min(upper, other.upper))
  }
}

/// A key of one of several indexes.
struct IndexedKey: Hashable {
  var index: Int64
  var key: IndexKey
}

/// Keys of one of several indexes.
struct IndexedRange: Hashable {
  var index: Int64
  var range: KeyRange
}

/// Which rows a query looks at, and in which order they come.
enum QueryAccess: Hashable {
  /// All records of the zones with names from one up to another; by zone and name.
  case scan(from: String, to: String)
  /// The records with these names; by zone and name.
  case named([String])
  /// The entries of an index with keys in a range; by zone, key and name.
  case range(index: Int64, KeyRange)
  /// The entries with any of these keys, of one index or several; by zone and name, each record once.
  case keys([IndexedKey])
  /// The entries with keys in any of these ranges, of one index or several; by zone, range, key and name.
  case ranges([IndexedRange])
  /// The entries of an index with keys in a range; by key, zone and name over all zones, or all that
  /// backwards. `withAbsent`: then those of records without a value.
  case ordered(index: Int64, KeyRange, descending: Bool, withAbsent: Bool)

  /// Behind all names of records.
  static let nameMax = "\u{10ffff}"
  /// All records.
  static let scanAll = QueryAccess.scan(from: "", to: nameMax)

  /// The entries that it looks at; `nil`: it is not answered by indexes.
  var entries: [IndexedRange]? {
    switch self {
    case .scan, .named: nil
    case .range(let index, let range), .ordered(let index, let range, _, _):
      [IndexedRange(index: index, range: range)]
    case .keys(let keys): keys.map { IndexedRange(index: $0.index, range: KeyRange($0.key)) }
    case .ranges(let ranges): ranges
    }
  }

  /// The indexes.
  var indexes: Set<Int64> { Set((entries ?? []).map(\.index)) }
}

/// How a query is answered.
struct QueryPlan: Hashable {
  /// How the order asked for comes about.
  enum Order: Hashable {
    /// None was asked for: that of the access.
    case any
    /// The access has it.
    case access
    /// The records are sorted; `isPrefix`: the access has the order of the first key.
    case sorted(isPrefix: Bool)
  }

  var access: QueryAccess
  var order: Order
  /// Whoever has a current entry matches: the predicate need not be evaluated.
  var isExact: Bool
  /// The field of the index, as in the schema language; several are separated by commas, empty without one.
  var indexField = ""
  /// What the access stands for in the predicate; empty: nothing.
  var condition = ""
}
