/// Appends numbers and strings to bytes.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ byte: UInt8) { bytes.append(byte) }

  /// A number in LEB128: 7 bits a byte, the lowest first.
  mutating func write(number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// A number in 8 bytes, little-endian.
  mutating func write(word: UInt64) {
    withUnsafeBytes(of: word.littleEndian) { bytes += $0 }
  }

  /// A string, its length first.
  mutating func write(_ string: String) {
    write(number: UInt64(string.utf8.count))
    bytes += string.utf8
  }

  /// Bytes, their length first.
  mutating func write(_ value: [UInt8]) {
    write(number: UInt64(value.count))
    bytes += value
  }
}

/// Reads what `ByteWriter` wrote; `nil` for what is not there.
struct ByteReader {
  private let all: UnsafeRawBufferPointer
  /// Where the next byte is.
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { all = bytes }

  var isAtEnd: Bool { position == all.count }
  var remaining: Int { all.count - position }

  mutating func byte() -> UInt8? {
    guard position < all.count else { return nil }
    defer { position += 1 }
    return all[position]
  }

  mutating func number() -> UInt64? {
    var result: UInt64 = 0
    for shift in stride(from: 0 as UInt64, to: 64, by: 7) {
      guard let byte = byte(), shift < 63 || byte <= 1 else { return nil }
      result |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return result }
    }
    return nil
  }

  mutating func word() -> UInt64? {
    guard remaining >= 8 else { return nil }
    defer { position += 8 }
    return UInt64(littleEndian: all.loadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  /// Bytes, valid as long as those that are read.
  mutating func bytes() -> UnsafeRawBufferPointer? {
    guard let count = number().flatMap({ Int(exactly: $0) }), count <= remaining else {
      return nil
    }
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: all[position..<position + count])
  }

  /// A string; `nil` also when its bytes are not UTF-8.
  mutating func string() -> String? {
    guard let bytes = bytes() else { return nil }
    // Most are short and ASCII, of which the general validation would take the longest.
    if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
    return String(validating: bytes, as: UTF8.self)
  }
}
