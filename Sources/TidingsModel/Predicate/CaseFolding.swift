/// Lowercase by Unicode's mapping of each code point, what `String.lowercased()` gives, without a string for
/// each of them.
enum CaseFolding {
  /// The code points that a table holds: all below U+FF00 of which some have a lowercase.
  private static let tabulated = [0x80..<0x3000, 0xa640..<0xac00]
  /// Their lowercase; 0 where it is more than one code point.
  private static let tables: [[UInt16]] = tabulated.map { range in
    range.map { value in
      guard let scalar = Unicode.Scalar(value) else { return UInt16(value) }
      let mapping = scalar.properties.lowercaseMapping.unicodeScalars
      return mapping.count == 1 ? UInt16(truncatingIfNeeded: mapping.first?.value ?? 0) : 0
    }
  }

  /// The text in lowercase.
  static func lowercased(_ text: String) -> String {
    text.withUTF8Bytes { bytes in
      let tables = Self.tables
      // Two bytes may become three, never more.
      return String(unsafeUninitializedCapacity: bytes.count * 2) { output in
        var (index, count) = (0, 0)
        func append(_ scalar: Unicode.Scalar) {
          for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
            output.initializeElement(at: count, to: byte)
            count += 1
          }
        }
        while index < bytes.count {
          let byte = bytes[index]
          if byte < 0x80 {
            let isUpper = byte >= 0x41 && byte <= 0x5a
            output.initializeElement(at: count, to: isUpper ? byte | 0x20 : byte)
            index += 1
            count += 1
            continue
          }
          let scalar = bytes.scalar(at: &index)
          switch scalar.value {
          case 0x80..<0x3000: lower(scalar, tables[0][Int(scalar.value) - 0x80], append)
          case 0xa640..<0xac00: lower(scalar, tables[1][Int(scalar.value) - 0xa640], append)
          case 0x3000..<0xa640, 0xac00..<0xff00: append(scalar)
          default: lower(scalar, 0, append)
          }
        }
        return count
      }
    }
  }

  private static func lower(
    _ scalar: Unicode.Scalar,
    _ tabulated: UInt16,
    _ append: (Unicode.Scalar) -> Void
  ) {
    if tabulated != 0, let lower = Unicode.Scalar(tabulated) { return append(lower) }
    guard scalar.properties.changesWhenLowercased else { return append(scalar) }
    for lower in scalar.properties.lowercaseMapping.unicodeScalars { append(lower) }
  }
}
