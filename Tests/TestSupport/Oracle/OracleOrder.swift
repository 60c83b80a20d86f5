internal import Foundation
internal import TidingsProto

/// How values compare, and records in a sort order.
enum OracleOrder {
  /// Whether a record must come before another.
  static func isBefore(
    _ a: TidingsV1.Record,
    _ b: TidingsV1.Record,
    _ keys: [TidingsV1.SortDescriptor]
  ) -> Bool {
    for key in keys {
      let order = order(a, b, key)
      if order != 0 { return order < 0 }
    }
    return false
  }

  private static func order(
    _ a: TidingsV1.Record,
    _ b: TidingsV1.Record,
    _ key: TidingsV1.SortDescriptor
  ) -> Int {
    let (own, other) = (a.value(of: key.fieldName), b.value(of: key.fieldName))
    guard let own, let other else { return own == nil ? (other == nil ? 0 : 1) : -1 }
    if let location = key.relativeLocation {
      guard case .locationValue(let a)? = own.value, case .locationValue(let b)? = other.value
      else {
        return 0
      }
      let (near, far) = (metres(a, location), metres(b, location))
      return abs(near - far) < 1 ? 0 : (near < far ? -1 : 1)
    }
    let order = order(own, other) ?? 0
    return key.descending ? -order : order
  }

  /// Great-circle distance.
  static func metres(_ a: TidingsV1.Location, _ b: TidingsV1.Location) -> Double {
    func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
    let (north, east) = (radians(b.latitude - a.latitude), radians(b.longitude - a.longitude))
    let chord =
      pow(sin(north / 2), 2)
      + cos(radians(a.latitude)) * cos(radians(b.latitude)) * pow(sin(east / 2), 2)
    return 2 * 6_371_000 * asin(min(1, chord.squareRoot()))
  }

  static func areEqual(_ a: TidingsV1.FieldValue, _ b: TidingsV1.FieldValue) -> Bool {
    switch (a.value, b.value) {
    case (.locationValue(let a), .locationValue(let b)):
      a.latitude == b.latitude && a.longitude == b.longitude
    case (.referenceValue(let a), .referenceValue(let b)): a.target == b.target
    default: order(a, b) == 0
    }
  }

  /// Negative, zero or positive; `nil`: values that have no order.
  static func order(_ a: TidingsV1.FieldValue, _ b: TidingsV1.FieldValue) -> Int? {
    func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : (a == b ? 0 : 1) }
    if let a = a.number, let b = b.number { return order(a, b) }
    switch (a.value, b.value) {
    case (.stringValue(let a), .stringValue(let b)): return byteOrder(Array(a.utf8), Array(b.utf8))
    case (.bytesValue(let a), .bytesValue(let b)): return byteOrder(a, b)
    case (.timestampValue(let a), .timestampValue(let b)):
      return a.seconds == b.seconds ? order(a.nanos, b.nanos) : order(a.seconds, b.seconds)
    default: return nil
    }
  }

  private static func byteOrder(_ a: [UInt8], _ b: [UInt8]) -> Int {
    a == b ? 0 : (a.lexicographicallyPrecedes(b) ? -1 : 1)
  }
}

extension TidingsV1.FieldValue {
  fileprivate var number: Double? {
    switch value {
    case .int64Value(let number): Double(number)
    case .doubleValue(let number): number
    default: nil
    }
  }
}

extension TidingsV1.Reference {
  fileprivate var target: [String] {
    let zone = recordID?.zoneID?.zoneName ?? ""
    return [zone.isEmpty ? Oracle.defaultZone : zone, recordID?.recordName ?? ""]
  }
}
