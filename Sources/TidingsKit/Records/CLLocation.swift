public import Foundation
internal import TidingsProto
internal import TidingsProtobuf

/// Degrees.
public typealias CLLocationDegrees = Double
/// Metres.
public typealias CLLocationDistance = Double
/// Metres; negative: not valid.
public typealias CLLocationAccuracy = Double
/// Metres per second.
public typealias CLLocationSpeed = Double
/// Degrees from north, clockwise.
public typealias CLLocationDirection = Double

/// A place's latitude and longitude.
public struct CLLocationCoordinate2D: Hashable, Sendable {
  /// Degrees north, -90 to 90.
  public var latitude: CLLocationDegrees
  /// Degrees east, -180 to 180.
  public var longitude: CLLocationDegrees

  /// A coordinate.
  public init(latitude: CLLocationDegrees = 0, longitude: CLLocationDegrees = 0) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// A place on Earth, as the value of a field: Core Location's type, where there is no Core Location.
public final class CLLocation: NSObject, NSSecureCoding, NSCopying, __CKRecordObjCValue, Sendable {
  /// Where.
  public let coordinate: CLLocationCoordinate2D
  /// Metres above sea level.
  public let altitude: CLLocationDistance
  /// Metres; negative: the coordinate is not valid.
  public let horizontalAccuracy: CLLocationAccuracy
  /// Metres; negative: the altitude is not valid.
  public let verticalAccuracy: CLLocationAccuracy
  /// Degrees from north; negative: not known.
  public let course: CLLocationDirection
  /// Metres per second; negative: not known.
  public let speed: CLLocationSpeed
  /// When it was measured.
  public let timestamp: Date

  /// A place.
  public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.init(
      coordinate: .init(latitude: latitude, longitude: longitude),
      altitude: 0,
      horizontalAccuracy: 0,
      verticalAccuracy: -1,
      timestamp: Date()
    )
  }

  /// A place that was measured.
  public init(
    coordinate: CLLocationCoordinate2D,
    altitude: CLLocationDistance,
    horizontalAccuracy: CLLocationAccuracy,
    verticalAccuracy: CLLocationAccuracy,
    course: CLLocationDirection = -1,
    speed: CLLocationSpeed = -1,
    timestamp: Date
  ) {
    self.coordinate = coordinate
    self.altitude = altitude
    self.horizontalAccuracy = horizontalAccuracy
    self.verticalAccuracy = verticalAccuracy
    self.course = course
    self.speed = speed
    self.timestamp = timestamp
  }

  /// What is stored.
  public var recordContent: CKRecordContent { .init(.locationValue(wire)) }

  /// Metres to another place, along the surface.
  public func distance(from location: CLLocation) -> CLLocationDistance {
    let radians = Double.pi / 180
    let (a, b) = (coordinate.latitude * radians, location.coordinate.latitude * radians)
    let longitude = (location.coordinate.longitude - coordinate.longitude) * radians
    let (north, east) = (sin((b - a) / 2), sin(longitude / 2))
    let half = north * north + cos(a) * cos(b) * east * east
    return 2 * 6_371_008.8 * asin(min(1, half.squareRoot()))
  }

  /// Places are equal when all that is known of them is.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CLLocation).map { $0.wire == wire } ?? false
  }

  /// Of the coordinate.
  public override var hash: Int { coordinate.hashValue }

  /// Itself: places do not change.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Places can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes all that is known of the place.
  public func encode(with coder: NSCoder) {
    coder.encode(Data(wire.encoded()) as NSData, forKey: "location")
  }

  /// Reads what `encode(with:)` wrote.
  public convenience init?(coder: NSCoder) {
    guard let data = coder.object(of: NSData.self, forKey: "location"),
      let wire = try? TidingsV1.Location(decoding: Array(Data(referencing: data)))
    else { return nil }
    self.init(wire)
  }
}

extension CLLocation {
  convenience init(_ location: TidingsV1.Location) {
    self.init(
      coordinate: .init(latitude: location.latitude, longitude: location.longitude),
      altitude: location.altitude ?? 0,
      horizontalAccuracy: location.horizontalAccuracy ?? 0,
      verticalAccuracy: location.verticalAccuracy ?? -1,
      course: location.course ?? -1,
      speed: location.speed ?? -1,
      timestamp: location.timestamp.map { Date($0) } ?? Date(timeIntervalSince1970: 0)
    )
  }

  var wire: TidingsV1.Location {
    .init(
      latitude: coordinate.latitude,
      longitude: coordinate.longitude,
      horizontalAccuracy: horizontalAccuracy,
      verticalAccuracy: verticalAccuracy,
      altitude: altitude,
      speed: speed,
      course: course,
      timestamp: .init(timestamp)
    )
  }
}
