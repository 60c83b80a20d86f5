#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

extension Location {
  /// Metres: the mean radius of the Earth (IUGG), which distances take for a sphere.
  public static let earthRadius = 6_371_008.8

  /// The great-circle distance to another place, in metres, by the haversine formula.
  public func distance(to other: Location) -> Double {
    let radians = Double.pi / 180
    let latitudes = sin((other.latitude - latitude) * radians / 2)
    let longitudes = sin((other.longitude - longitude) * radians / 2)
    let haversine =
      latitudes * latitudes
      + cos(latitude * radians) * cos(other.latitude * radians) * longitudes * longitudes
    // Rounding may lead out of 0...1, where there is no arc.
    return 2 * Self.earthRadius * asin(min(1, haversine.squareRoot()))
  }
}

extension FieldValue {
  /// A distance; `nil` for what is no number.
  package var metres: Double? {
    switch self {
    case .int64(let metres): Double(metres)
    case .double(let metres): metres
    default: nil
    }
  }

  /// Whether this is a place less than so many metres from another.
  func isNear(_ centre: FieldValue, metres: FieldValue) -> Bool {
    guard case .location(let own) = self, case .location(let centre) = centre,
      let metres = metres.metres
    else { return false }
    return own.distance(to: centre) < metres
  }

  /// The members of a list as values, without a copy of the list; `nil` for what is no list.
  var members: FieldValueMembers? { FieldValueMembers(self) }
}

/// The members of a list, made into values one by one.
struct FieldValueMembers: Sequence, IteratorProtocol {
  private let list: FieldValue
  private let count: Int
  private var index = 0

  /// The members of a list; `nil` for what is no list.
  init?(_ value: FieldValue) {
    guard value.isList else { return nil }
    list = value
    count = value.memberCount
  }

  mutating func next() -> FieldValue? {
    guard index < count else { return nil }
    defer { index += 1 }
    switch list {
    case .stringList(let members): return .string(members[index])
    case .int64List(let members): return .int64(members[index])
    case .doubleList(let members): return .double(members[index])
    case .bytesList(let members): return .bytes(members[index])
    case .timestampList(let members): return .timestamp(members[index])
    case .locationList(let members): return .location(members[index])
    case .referenceList(let members): return .reference(members[index])
    case .assetList(let members): return .asset(members[index])
    default: return nil
    }
  }
}
