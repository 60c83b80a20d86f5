internal import TidingsModel

/// Numbers of cells of the globe, by which keys of locations are ordered: what is near one another mostly
/// has numbers near one another.
///
/// A quarter of the globe has the first two bits, a quarter of that the next two, and so on: latitude and
/// longitude in 32 bits each, bit by bit in turn (a Z-order curve).
enum LocationCell {
  /// Cells that cover a circle: more of them would cover it more closely.
  static let cellsMax = 32
  private static let bits = 32

  /// The number of the smallest cell of a location.
  static func number(of location: Location) -> UInt64 {
    interleaved(row(location.latitude), column(location.longitude))
  }

  /// Ranges of the cells that a circle touches, in their order, none next to another.
  static func ranges(around centre: Location, metres: Double) -> [ClosedRange<UInt64>] {
    guard metres > 0 else { return [] }
    let box = LocationBox(around: centre, metres: metres)
    let rows = row(box.south)...row(box.north)
    let columns = columns(from: centre.longitude, box.halfWidth)
    // The smallest cells that are few enough.
    let shift =
      (0..<bits).first { shift in
        columns.reduce(0) { $0 + count($1, shift) } * count(rows, shift) <= Double(cellsMax)
      } ?? bits - 1
    let numbers = columns.flatMap { columns in
      (rows.lowerBound >> shift...rows.upperBound >> shift).flatMap { row in
        (columns.lowerBound >> shift...columns.upperBound >> shift).map {
          interleaved(row << shift, $0 << shift)
        }
      }
    }
    let last: UInt64 = (1 << UInt64(2 * shift)) - 1
    return Set(numbers).sorted().reduce(into: []) { ranges, number in
      if let before = ranges.last, before.upperBound &+ 1 == number {
        ranges[ranges.count - 1] = before.lowerBound...number + last
      } else {
        ranges.append(number...number + last)
      }
    }
  }

  /// The columns of a box, which may go around the 180th meridian.
  private static func columns(
    from longitude: Double,
    _ halfWidth: Double?
  ) -> [ClosedRange<UInt32>] {
    guard let halfWidth, halfWidth < 180 else { return [0...(.max)] }
    let (west, east) = (longitude - halfWidth, longitude + halfWidth)
    if west < -180 { return [0...column(east), column(west + 360)...(.max)] }
    if east > 180 { return [0...column(east - 360), column(west)...(.max)] }
    // One meridian has two longitudes.
    if west == -180 { return [0...column(east), .max...(.max)] }
    if east == 180 { return [0...0, column(west)...(.max)] }
    return [column(west)...column(east)]
  }

  private static func count(_ cells: ClosedRange<UInt32>, _ shift: Int) -> Double {
    Double(cells.upperBound >> shift) - Double(cells.lowerBound >> shift) + 1
  }

  private static func row(_ latitude: Double) -> UInt32 { cell((latitude + 90) / 180) }
  private static func column(_ longitude: Double) -> UInt32 { cell((longitude + 180) / 360) }

  /// The cell of a part of the whole; what is outside is in the first or last.
  private static func cell(_ part: Double) -> UInt32 {
    UInt32(min(max(part * 0x1p32, 0), 0x1p32 - 1))
  }

  private static func interleaved(_ row: UInt32, _ column: UInt32) -> UInt64 {
    spread(row) << 1 | spread(column)
  }

  /// The bits of a number, each followed by a zero.
  private static func spread(_ value: UInt32) -> UInt64 {
    var bits = UInt64(value)
    bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff
    bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff
    bits = (bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333
    return (bits | bits << 1) & 0x5555_5555_5555_5555
  }
}
