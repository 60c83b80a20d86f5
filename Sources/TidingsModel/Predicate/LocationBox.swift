#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The latitudes and longitudes that a circle on the globe touches, and a little more for rounding.
package struct LocationBox: Hashable, Sendable {
  /// Degrees; may be beyond a pole.
  package let south: Double
  /// Degrees; may be beyond a pole.
  package let north: Double
  /// Degrees to the east and to the west of the centre; `nil`: the circle contains a pole, and touches
  /// all meridians.
  package let halfWidth: Double?

  /// More than rounding makes of any angle in degrees.
  private static let margin = 1e-7

  /// The box around a circle.
  package init(around centre: Location, metres: Double) {
    let angle = metres / Location.earthRadius
    let height = angle * 180 / .pi + Self.margin
    south = centre.latitude - height
    north = centre.latitude + height
    guard south > -90, north < 90 else {
      halfWidth = nil
      return
    }
    let sine = sin(angle) / cos(centre.latitude * .pi / 180)
    // Where the meridian touches the circle, the angle changes fastest with rounding.
    halfWidth = sine < 1 ? asin(sine) * 180 / .pi * (1 + 1e-9) + Self.margin : nil
  }
}
