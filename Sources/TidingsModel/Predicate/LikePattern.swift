/// LIKE: `?` stands for one code point, `*` for any number of them, and a backslash makes the next
/// one ordinary.
///
/// Matching takes time linear in the text: what stands between two `*` is found leftmost, by moving
/// one bit for each byte of the piece (Shift-And), so a piece has at most
/// `PredicateLimits.likePieceBytesMax` bytes, one word of the machine.
package enum LikePattern {
  /// Whether a text has the form of a pattern that `problem(in:)` finds in order.
  static func matches(_ text: String, _ pattern: String) -> Bool {
    text.withUTF8Bytes { text in
      pattern.withUTF8Bytes { pattern in matches(text, pattern) }
    }
  }

  /// What is wrong with a pattern, in words; `nil`: nothing.
  static func problem(in pattern: String) -> String? {
    let bytesMax = PredicateLimits.likePieceBytesMax
    return pattern.withUTF8Bytes { bytes in
      var (index, length, pieces) = (0, 0, 0)
      while let element = Element(bytes, &index) {
        switch element {
        case .dangling:
          return #"the LIKE pattern ends with a backslash; write \\ for a backslash"#
        case .many:
          if pieces > 0, length > bytesMax { return tooLong }
          (length, pieces) = (0, pieces + 1)
        case .one, .byte: length += 1
        }
      }
      return nil
    }
  }

  private static var tooLong: String {
    "LIKE takes at most \(PredicateLimits.likePieceBytesMax) bytes between two *; shorten the "
      + "pattern"
  }

  /// The operator that says the same more simply where there is one, and the value in one form: no
  /// needless backslashes, no `**`.
  static func canonical(
    _ pattern: String
  ) -> (operator: Predicate.Comparison.Operator, value: String) {
    var (plain, escaped): ([UInt8], [UInt8]) = ([], [])
    var (ones, firstMany, lastMany, manyCount) = (0, -1, -1, 0)
    pattern.withUTF8Bytes { bytes in
      var index = 0
      while let element = Element(bytes, &index) {
        switch element {
        case .many:
          if escaped.last == UInt8(ascii: "*"), lastMany == escaped.count - 1 { continue }
          if firstMany < 0 { firstMany = plain.count }
          lastMany = escaped.count
          manyCount += 1
          escaped.append(UInt8(ascii: "*"))
        case .one:
          ones += 1
          escaped.append(UInt8(ascii: "?"))
        case .byte(let byte):
          if byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "\\") {
            escaped.append(UInt8(ascii: "\\"))
          }
          escaped.append(byte)
          plain.append(byte)
        case .dangling: break
        }
      }
    }
    let text = String(decoding: plain, as: UTF8.self)
    if ones == 0 {
      if manyCount == 0 { return (.equal, text) }
      if manyCount == 1, firstMany == plain.count { return (.beginsWith, text) }
      if manyCount == 1, firstMany == 0 { return (.endsWith, text) }
    }
    return (.like, String(decoding: escaped, as: UTF8.self))
  }

  /// What every text of this form begins with: what stands before the first wildcard.
  package static func fixedHead(of pattern: String) -> String {
    var head: [UInt8] = []
    pattern.withUTF8Bytes { bytes in
      var index = 0
      while case .byte(let byte)? = Element(bytes, &index) { head.append(byte) }
    }
    return String(decoding: head, as: UTF8.self)
  }

  /// One step of a pattern.
  private enum Element {
    case byte(UInt8)
    case one
    case many
    case dangling

    /// The element at an index, which moves behind it; `nil` at the end.
    init?(_ pattern: UnsafeRawBufferPointer, _ index: inout Int) {
      guard index < pattern.count else { return nil }
      let byte = pattern[index]
      index += 1
      switch byte {
      case UInt8(ascii: "*"): self = .many
      case UInt8(ascii: "?"): self = .one
      case UInt8(ascii: "\\"):
        guard index < pattern.count else {
          self = .dangling
          return
        }
        self = .byte(pattern[index])
        index += 1
      default: self = .byte(byte)
      }
    }
  }

  private static func matches(
    _ text: UnsafeRawBufferPointer,
    _ pattern: UnsafeRawBufferPointer
  ) -> Bool {
    var (position, index) = (0, 0)
    guard
      let hasStar = matchesPiece(text, &position, pattern, &index)
    else { return false }
    if !hasStar { return position == text.count }
    while true {
      let start = index
      guard let end = endOfPiece(pattern, from: start) else {
        return matchesSuffix(text, from: position, pattern, start)
      }
      guard let found = find(pattern, start..<end, in: text, from: position) else { return false }
      position = found
      index = end + 1
    }
  }

  /// Matches the elements up to the next `*` where the text stands.
  ///
  /// - Returns: Whether a `*` ended the piece, which `index` is then behind; `nil`: no match.
  private static func matchesPiece(
    _ text: UnsafeRawBufferPointer,
    _ position: inout Int,
    _ pattern: UnsafeRawBufferPointer,
    _ index: inout Int
  ) -> Bool? {
    while let element = Element(pattern, &index) {
      switch element {
      case .many: return true
      case .one:
        guard position < text.count else { return nil }
        position += 1
        while position < text.count, text[position].isContinuation { position += 1 }
      case .byte(let byte):
        guard position < text.count, text[position] == byte else { return nil }
        position += 1
      case .dangling: return nil
      }
    }
    return false
  }

  /// Where the next `*` stands; `nil` when there is none.
  private static func endOfPiece(_ pattern: UnsafeRawBufferPointer, from start: Int) -> Int? {
    var index = start
    while true {
      let at = index
      guard let element = Element(pattern, &index) else { return nil }
      if case .many = element { return at }
    }
  }

  /// Whether the last piece matches the end of the text.
  private static func matchesSuffix(
    _ text: UnsafeRawBufferPointer,
    from position: Int,
    _ pattern: UnsafeRawBufferPointer,
    _ start: Int
  ) -> Bool {
    // The piece has a fixed number of code points, so that many are counted back from the end.
    var (index, scalarCount) = (start, 0)
    while let element = Element(pattern, &index) {
      switch element {
      case .byte(let byte) where byte.isContinuation: break
      default: scalarCount += 1
      }
    }
    var begin = text.count
    while scalarCount > 0, begin > position {
      begin -= 1
      if !text[begin].isContinuation { scalarCount -= 1 }
    }
    guard scalarCount == 0, begin >= position else { return false }
    index = start
    return matchesPiece(text, &begin, pattern, &index) == false && begin == text.count
  }

  /// Where the leftmost match of a piece ends; `nil` when there is none.
  ///
  /// A match that ends with `?` may end within a code point, whose other bytes the next piece
  /// skips, for it begins with a code point.
  private static func find(
    _ pattern: UnsafeRawBufferPointer,
    _ piece: Range<Int>,
    in text: UnsafeRawBufferPointer,
    from position: Int
  ) -> Int? {
    let pattern = UnsafeRawBufferPointer(rebasing: pattern[..<piece.upperBound])
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 256) { masks in
      masks.initialize(repeating: 0)
      var (index, bit, ones) = (piece.lowerBound, UInt64(1), UInt64(0))
      var last: UInt64 = 0
      while let element = Element(pattern, &index) {
        switch element {
        case .byte(let byte): masks[Int(byte)] |= bit
        default:
          ones |= bit
          for byte in 0..<256 where !UInt8(byte).isContinuation { masks[byte] |= bit }
        }
        last = bit
        bit = bit << 1
      }
      if last == 0 { return position }
      var state: UInt64 = 0
      for at in position..<text.count {
        let byte = text[at]
        let waiting = byte.isContinuation ? state & ones : 0
        state = ((state << 1 | 1) & masks[Int(byte)]) | waiting
        if state & last != 0 { return at + 1 }
      }
      return nil
    }
  }
}

extension UInt8 {
  /// Whether this byte of UTF-8 continues a code point.
  fileprivate var isContinuation: Bool { self & 0xc0 == 0x80 }
}
