internal import TidingsModel

#if canImport(Glibc)
internal import Glibc
#endif

extension Location {
  func distance(to other: Location) -> Double {
    let radians = Double.pi / 180
    let latitudes = sin((other.latitude - latitude) * radians / 2)
    let longitudes = sin((other.longitude - longitude) * radians / 2)
    let haversine =
      latitudes * latitudes
      + cos(latitude * radians) * cos(other.latitude * radians) * longitudes * longitudes
    return 2 * 6_371_008.8 * asin(min(1, haversine.squareRoot()))
  }
}
