#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

// What it means for two values to be equal, and which is less. One definition for evaluation, for
// the canonical form and for the channel index:
//
// - int64 and double are one class, numbers, compared exactly,
// - strings and bytes go by their bytes: UTF-8's order is that of the code points,
// - references ignore the action, locations all but the coordinates,
// - values of different classes are neither equal nor ordered.
extension FieldValue {
  /// Values that can be compared with each other.
  package enum MeaningClass: UInt8 {
    case number
    case string
    case bytes
    case timestamp
    case location
    case reference
  }

  /// The class of a value that can stand in a comparison; `nil` for assets and lists.
  package var meaningClass: MeaningClass? {
    switch self {
    case .int64, .double: .number
    case .string: .string
    case .bytes: .bytes
    case .timestamp: .timestamp
    case .location: .location
    case .reference: .reference
    default: nil
    }
  }

  /// The one representative of all values that are equal in meaning.
  package var canonicalMeaning: FieldValue {
    switch self {
    case .double(let value):
      guard let whole = Int64(exactly: value) else { return self }
      return .int64(whole)
    case .location(let value):
      // Adding zero turns -0 into 0.
      return .location(Location(latitude: value.latitude + 0, longitude: value.longitude + 0))
    case .reference(let value):
      return .reference(Reference(recordID: value.recordID))
    default:
      return self
    }
  }

  /// Whether this value and another are equal in meaning.
  package func means(_ other: FieldValue) -> Bool {
    switch (self, other) {
    case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
    case (.int64(let a), .int64(let b)): a == b
    default: meaningOrder(other) == 0
    }
  }

  /// Negative, zero or positive as this value is less than, equal to or greater than another.
  ///
  /// - Returns: `nil` when they are of different classes or cannot be compared.
  package func meaningOrder(_ other: FieldValue) -> Int? {
    switch (self, other) {
    case (.string(let a), .string(let b)): a.byteOrder(b)
    case (.int64(let a), .int64(let b)): a < b ? -1 : (a == b ? 0 : 1)
    case (.double(let a), .double(let b)): a < b ? -1 : (a == b ? 0 : (a > b ? 1 : nil))
    case (.int64(let a), .double(let b)): numericOrder(a, b)
    case (.double(let a), .int64(let b)): numericOrder(b, a).map { -$0 }
    case (.timestamp(let a), .timestamp(let b)): a < b ? -1 : (a == b ? 0 : 1)
    case (.bytes(let a), .bytes(let b)):
      a.withUnsafeBytes { a in b.withUnsafeBytes { b in memoryOrder(a, b) } }
    case (.location(let a), .location(let b)):
      locationOrder(a, b)
    case (.reference(let a), .reference(let b)):
      referenceOrder(a.recordID, b.recordID)
    default: nil
    }
  }

  /// Feeds a hasher, equally for values that are equal in meaning.
  package func hashMeaning(into hasher: inout Hasher) {
    switch self {
    case .string(let value):
      value.hashBytes(into: &hasher)
    case .int64(let value):
      hasher.combine(value)
    case .double(let value):
      if let whole = Int64(exactly: value) { hasher.combine(whole) } else { hasher.combine(value) }
    case .bytes(let value):
      hasher.combine(1 as UInt8)
      value.withUnsafeBytes { hasher.combine(bytes: $0) }
    case .timestamp(let value):
      hasher.combine(2 as UInt8)
      hasher.combine(value)
    case .location(let value):
      hasher.combine(value.latitude + 0)
      hasher.combine(value.longitude + 0)
    case .reference(let value):
      value.recordID.zoneID.zoneName.hashBytes(into: &hasher)
      value.recordID.recordName.hashBytes(into: &hasher)
    default:
      hasher.combine(kind)
    }
  }

  /// Whether this is a list with a member that is equal in meaning to a value.
  func hasMember(_ value: FieldValue) -> Bool {
    switch (self, value) {
    case (.stringList(let list), .string(let value)):
      list.contains { $0.hasSameBytes(as: value) }
    case (.int64List(let list), .int64(let value)): list.contains(value)
    case (.int64List(let list), .double(let value)):
      list.contains { numericOrder($0, value) == 0 }
    case (.doubleList(let list), .double(let value)): list.contains(value)
    case (.doubleList(let list), .int64(let value)):
      list.contains { numericOrder(value, $0) == 0 }
    case (.bytesList(let list), .bytes(let value)): list.contains(value)
    case (.timestampList(let list), .timestamp(let value)): list.contains(value)
    case (.locationList(let list), .location(let value)):
      list.contains { locationOrder($0, value) == 0 }
    case (.referenceList(let list), .reference(let value)):
      list.contains { referenceOrder($0.recordID, value.recordID) == 0 }
    default: false
    }
  }
}

extension String {
  /// Whether two strings have the same UTF-8 bytes, where `==` would normalize.
  package func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && byteOrder(other) == 0
  }

  /// Whether the UTF-8 bytes begin with those of another string.
  func hasBytePrefix(_ prefix: String) -> Bool {
    withUTF8Bytes { bytes in
      prefix.withUTF8Bytes { prefix in
        guard let start = prefix.baseAddress else { return true }
        guard prefix.count <= bytes.count, let bytes = bytes.baseAddress else { return false }
        return memcmp(bytes, start, prefix.count) == 0
      }
    }
  }

  /// Whether the UTF-8 bytes end with those of another string.
  func hasByteSuffix(_ suffix: String) -> Bool {
    withUTF8Bytes { bytes in
      suffix.withUTF8Bytes { suffix in
        guard let start = suffix.baseAddress else { return true }
        guard suffix.count <= bytes.count,
          let bytes = bytes.baseAddress.map({ $0 + bytes.count - suffix.count })
        else { return false }
        return memcmp(bytes, start, suffix.count) == 0
      }
    }
  }

  /// Negative, zero or positive by UTF-8 bytes, which is by code points.
  func byteOrder(_ other: String) -> Int {
    withUTF8Bytes { a in other.withUTF8Bytes { b in memoryOrder(a, b) } }
  }

  /// Feeds the UTF-8 bytes.
  package func hashBytes(into hasher: inout Hasher) {
    withUTF8Bytes { hasher.combine(bytes: $0) }
  }

  /// Lends the UTF-8 bytes, without a copy for native strings.
  package func withUTF8Bytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) {
      return result
    }
    var copy = self
    return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}

/// Negative, zero or positive as bytes come before, equal or come behind others.
func memoryOrder(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
  let shared = min(a.count, b.count)
  if shared > 0, let a = a.baseAddress, let b = b.baseAddress {
    let order = memcmp(a, b, shared)
    if order != 0 { return Int(order) }
  }
  return a.count - b.count
}

/// The exact order of a whole number and a double, where converting either would round.
private func numericOrder(_ a: Int64, _ b: Double) -> Int? {
  if b.isNaN { return nil }
  if b >= 0x1p63 { return -1 }
  if b < -0x1p63 { return 1 }
  let whole = Int64(b)
  if a != whole { return a < whole ? -1 : 1 }
  // A double with a fraction is below 2^53, so the difference is exact.
  let fraction = b - Double(whole)
  return fraction > 0 ? -1 : (fraction < 0 ? 1 : 0)
}

private func locationOrder(_ a: Location, _ b: Location) -> Int? {
  if a.latitude != b.latitude {
    return a.latitude < b.latitude ? -1 : (a.latitude > b.latitude ? 1 : nil)
  }
  if a.longitude == b.longitude { return 0 }
  return a.longitude < b.longitude ? -1 : (a.longitude > b.longitude ? 1 : nil)
}

private func referenceOrder(_ a: RecordID, _ b: RecordID) -> Int {
  let zones = a.zoneID.zoneName.byteOrder(b.zoneID.zoneName)
  return zones != 0 ? zones : a.recordName.byteOrder(b.recordName)
}
