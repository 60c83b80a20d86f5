internal import TidingsModel

/// A fact about one field that leads to channels: `city is "Kyiv"`, `price is over 100`.
struct Term {
  enum Kind: UInt8 {
    /// Of every record; the field is empty.
    case always
    /// The value is equal.
    case equal
    /// The list has the member.
    case member
    /// The text has the word.
    case word
    /// The text begins so.
    case prefix
    /// The number or time lies in a cell of a grid; `detail` says which grid.
    case cell
    /// The place lies in a cell of a grid over the globe; `detail` says which grid.
    case area
    /// The text is equal but for case; the value is in lowercase.
    case foldedEqual
    /// The text begins so but for case; the value is in lowercase.
    case foldedPrefix
    /// The value is greater.
    case greaterThan
    /// The value is greater or equal.
    case greaterThanOrEqual
    /// The value is less.
    case lessThan
    /// The value is less or equal.
    case lessThanOrEqual

    /// Whether values between are found by walking in order.
    var isOrdered: Bool { rawValue >= Self.greaterThan.rawValue }
  }

  var field: String
  var kind: Kind
  var detail: Int32 = 0
  var value: FieldValue

  static let always = Self(field: "", kind: .always, value: .int64(0))
}

/// The grids in which BETWEEN is found.
///
/// An interval belongs to the grid whose cells are just shorter than itself, so it touches three
/// cells at most, and a value looks into one cell of each grid in use.
enum Grid {
  /// The terms of the cells that an interval touches; `nil` when its values have no grid.
  static func terms(field: String, from low: FieldValue, to high: FieldValue) -> [Term]? {
    guard let start = coordinate(low), let end = coordinate(high), start.isTime == end.isTime else {
      return nil
    }
    let length = end.location - start.location
    let exponent: Int
    if length == 0 {
      exponent = Int(end.location.ulp.exponent)
    } else {
      exponent =
        length.isFinite ? Int(length.exponent) : Int(Double.greatestFiniteMagnitude.exponent)
    }
    let detail = Int32(exponent) * 2 + (start.isTime ? 1 : 0)
    var terms: [Term] = []
    var cell = cell(start.location, exponent)
    let last = self.cell(end.location, exponent)
    while cell <= last, terms.count <= 8 {
      terms.append(Term(field: field, kind: .cell, detail: detail, value: .double(cell)))
      cell += 1
    }
    return terms.count <= 8 ? terms : nil
  }

  /// The cell of a value in the grid that `detail` says; `nil` when the value has no place there.
  static func cell(of value: FieldValue, detail: Int32) -> FieldValue? {
    guard let coordinate = coordinate(value), coordinate.isTime == (detail & 1 == 1) else {
      return nil
    }
    return .double(cell(coordinate.location, Int(detail >> 1)))
  }

  /// Rounding keeps the order, and that is enough: who looks into the cell evaluates too.
  private static func coordinate(_ value: FieldValue) -> (location: Double, isTime: Bool)? {
    switch value {
    case .int64(let value): (Double(value), false)
    case .double(let value): (value, false)
    case .timestamp(let value): (Double(value.seconds) + Double(value.nanoseconds) / 1e9, true)
    default: nil
    }
  }

  private static func cell(_ location: Double, _ exponent: Int) -> Double {
    Double(sign: .plus, exponent: -exponent, significand: location).rounded(.down)
  }
}
