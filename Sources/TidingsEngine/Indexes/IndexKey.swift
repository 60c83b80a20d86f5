internal import TidingsModel

/// A value as bytes whose order, byte by byte, is the order of the values: the key of an index entry,
/// and what queries sort by.
///
/// A class byte, then: a number as the largest double that is not above it, and what is left of an
/// int64; texts and byte strings as they are, cut; times in milliseconds, and what is left of them in
/// nanoseconds; locations by their `LocationCell`. Int64 and double are one class and compare exactly.
struct IndexKey: Hashable, Comparable {
  /// Longest key, in bytes: longer texts are ordered by what fits.
  static let bytesMax = 512
  /// Marks a member of a list: what is equal to a list's member is not equal to the list.
  private static let memberBit: UInt8 = 0x40

  /// The key of a record without the field, behind all others.
  static let absent = IndexKey(bytes: [0xff])

  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// The key of a scalar value; `nil` for a list or an asset.
  init?(_ value: FieldValue, asMember: Bool = false) {
    guard let valueClass = value.meaningClass else { return nil }
    var bytes = [valueClass.rawValue | (asMember ? Self.memberBit : 0)]
    switch value {
    case .int64(let number): bytes.append(ordered: number)
    case .double(let number): bytes.append(ordered: number)
    case .string(let text): text.withUTF8Bytes { bytes += $0.prefix(Self.bytesMax - 1) }
    case .bytes(let content): bytes += content.prefix(Self.bytesMax - 1)
    case .timestamp(let time):
      bytes.append(bigEndian: UInt64(bitPattern: time.millisecondsSince1970) ^ (1 << 63))
      // A whole millisecond has no more bytes, as in stores that knew no others.
      let rest = time.nanosecondsOfMillisecond
      if rest > 0 {
        for shift in [16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: rest >> Int32(shift))) }
      }
    case .location(let position):
      bytes.append(bigEndian: LocationCell.number(of: position))
      bytes.append(ordered: position.latitude)
      bytes.append(ordered: position.longitude)
    case .reference(let reference):
      bytes += reference.recordID.zoneID.zoneName.utf8
      bytes.append(0)
      bytes += reference.recordID.recordName.utf8
      if bytes.count > Self.bytesMax { bytes.removeLast(bytes.count - Self.bytesMax) }
    default: return nil
    }
    self.bytes = bytes
  }

  /// The first key of the locations in a cell or behind it.
  init(cell: UInt64) {
    var bytes = [FieldValue.MeaningClass.location.rawValue]
    bytes.append(bigEndian: cell)
    self.bytes = bytes
  }

  /// The key of a word.
  init(word: String) { bytes = Array(word.utf8.prefix(Self.bytesMax)) }

  /// Values with this key are equal: nothing was cut off.
  var isExact: Bool { bytes.count < Self.bytesMax }

  /// The first key behind all keys that begin with this one; for a class byte: the next class.
  var afterPrefix: IndexKey {
    var bytes = bytes
    while bytes.last == 0xff { bytes.removeLast() }
    if let last = bytes.indices.last { bytes[last] += 1 } else { bytes = [0xff, 0xff] }
    return IndexKey(bytes: bytes)
  }

  /// The first key behind this one.
  var successor: IndexKey { IndexKey(bytes: bytes + [0]) }

  /// The class byte alone.
  var classPrefix: IndexKey { IndexKey(bytes: [bytes[0]]) }

  /// Behind all keys of scalar values: lists' members come from here on.
  static let afterScalars = IndexKey(bytes: [memberBit])

  static func < (a: Self, b: Self) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}

extension IndexKey {
  /// The keys of a record in an index of its values: one for a scalar or an absent value, one for each
  /// member of a list.
  static func keys(of value: FieldValue?) -> [IndexKey] {
    guard let value else { return [.absent] }
    if let key = IndexKey(value) { return [key] }
    return value.members.compactMap { IndexKey($0, asMember: true) }.sortedAndUnique
  }
}

extension [IndexKey] {
  /// In their order, each once.
  var sortedAndUnique: [IndexKey] {
    guard count > 1 else { return self }
    var result: [IndexKey] = []
    for key in sorted() where key != result.last { result.append(key) }
    return result
  }
}

extension FieldValue {
  /// The members of a list that can stand in a comparison; none for what is no list.
  fileprivate var members: [FieldValue] {
    switch self {
    case .stringList(let list): list.map { .string($0) }
    case .int64List(let list): list.map { .int64($0) }
    case .doubleList(let list): list.map { .double($0) }
    case .bytesList(let list): list.map { .bytes($0) }
    case .timestampList(let list): list.map { .timestamp($0) }
    case .locationList(let list): list.map { .location($0) }
    case .referenceList(let list): list.map { .reference($0) }
    default: []
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian value: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    }
  }

  /// Appends a finite double; adding zero turns -0 into 0.
  fileprivate mutating func append(ordered value: Double) {
    let bits = (value + 0).bitPattern
    append(bigEndian: bits >> 63 == 1 ? ~bits : bits | 1 << 63)
  }

  /// Appends a whole number, in one order with the doubles.
  fileprivate mutating func append(ordered value: Int64) {
    var double = Double(value)
    // Rounded up, 2^63 for one, the double is above the number: take the one below.
    if Int64(exactly: double).map({ $0 > value }) ?? true { double = double.nextDown }
    append(ordered: double)
    let rest = value - Int64(double)
    if rest > 0 {
      append(UInt8(truncatingIfNeeded: rest >> 8))
      append(UInt8(truncatingIfNeeded: rest))
    }
  }
}
