internal import TidingsModel

/// The grids in which places near a point are found: cells of latitude and longitude.
///
/// As `Grid` does for intervals, a circle takes the grid whose cells are just smaller than the box
/// around it, in each direction; it touches few of them, and a place looks into one cell of each grid
/// in use. Longitudes go around: the cells divide the circle evenly. Where the box holds a pole, or
/// most of a parallel, a cell is a whole band.
enum Globe {
  /// The largest circle with cells, in metres.
  static let radiusMax = 5_000_000.0

  /// Smallest cells: 2^-14 degrees, 7 metres from north to south.
  private static let exponentMin = -14
  /// Largest cells from west to east: 8 degrees, so that whole ones go around.
  private static let longitudeExponentMax = 3
  /// A circle that reaches farther east and west, in degrees, takes the whole band: with this it
  /// touches 30 cells at most.
  private static let halfWidthMax = 32.0
  /// Instead of the exponent: the cell is the whole band.
  private static let wholeBand = 64

  /// The terms of the cells that a circle touches; `nil`: it is too large.
  static func terms(field: String, around centre: Location, metres: Double) -> [Term]? {
    guard metres < radiusMax, isOnGlobe(centre) else { return nil }
    // Nothing is nearer than not at all.
    guard metres > 0 else { return [] }
    let box = LocationBox(around: centre, metres: metres)
    let heightExponent = exponent(box.north - box.south)
    let rows = cell(box.south, heightExponent)...cell(box.north, heightExponent)

    var columns: ClosedRange<Int64> = 0...0
    var widthExponent = wholeBand
    if let width = box.halfWidth, width < halfWidthMax {
      widthExponent = min(exponent(2 * width), longitudeExponentMax)
      columns =
        cell(
          centre.longitude - width,
          widthExponent
        )...cell(
          centre.longitude + width,
          widthExponent
        )
    }
    let detail = detail(heightExponent, widthExponent)
    return rows.flatMap { row in
      columns.map { column in
        Term(
          field: field,
          kind: .area,
          detail: detail,
          value: value(row, around(column, widthExponent))
        )
      }
    }
  }

  /// The cell of a place in the grid that `detail` says; `nil`: the place is not on the globe.
  static func cell(of location: Location, detail: Int32) -> FieldValue? {
    guard isOnGlobe(location) else { return nil }
    let (height, width) = exponents(detail)
    let column = width == wholeBand ? 0 : around(cell(location.longitude, width), width)
    return value(cell(location.latitude, height), column)
  }

  private static func isOnGlobe(_ location: Location) -> Bool {
    (-90...90).contains(location.latitude) && (-180...180).contains(location.longitude)
  }

  private static func exponent(_ degrees: Double) -> Int {
    max(Int(degrees.exponent), exponentMin)
  }

  private static func cell(_ degrees: Double, _ exponent: Int) -> Int64 {
    let location = Double(sign: .plus, exponent: -exponent, significand: degrees + 180)
    return Int64(location.rounded(.down))
  }

  /// The same column once around.
  private static func around(_ column: Int64, _ exponent: Int) -> Int64 {
    guard exponent != wholeBand else { return 0 }
    let count = Int64(Double(sign: .plus, exponent: -exponent, significand: 360))
    let rest = column % count
    return rest < 0 ? rest + count : rest
  }

  private static func value(_ row: Int64, _ column: Int64) -> FieldValue {
    .int64(row << 32 | column)
  }

  private static func detail(_ height: Int, _ width: Int) -> Int32 {
    Int32(height - exponentMin) << 8 | Int32(width - exponentMin)
  }

  private static func exponents(_ detail: Int32) -> (height: Int, width: Int) {
    (Int(detail >> 8) + exponentMin, Int(detail & 0xff) + exponentMin)
  }
}
