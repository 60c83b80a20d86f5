/// The texts that differ from a text in case only, in the order of their UTF-8 bytes.
///
/// There are too many of them to list: a search in sorted texts asks for the first one that is not
/// before what it found, and so skips what lies between.
package struct CaseSpellings: Sendable {
  /// One way to write the next code points of the text in lowercase.
  private struct Alternative {
    let bytes: [UInt8]
    let scalarCount: Int
  }

  /// For each code point of the text in lowercase, by their bytes: none begins with another.
  private let alternatives: [[Alternative]]
  private let areHeads: Bool

  /// The spellings of a text.
  ///
  /// - Parameters:
  ///   - folded: The text in lowercase, `foldedCase`.
  ///   - areHeads: Whether texts are wanted that begin with the text: the last code point of a spelling
  ///     may then have a longer lowercase than what is left of the text.
  package init(of folded: String, areHeads: Bool) {
    let scalars = Array(folded.unicodeScalars)
    self.areHeads = areHeads
    alternatives = scalars.indices.map { index in
      let rest = scalars[index...]
      let upper = (Self.uppercase[scalars[index]] ?? []).filter { scalar in
        let lower = scalar.properties.lowercaseMapping.unicodeScalars
        return lower.count <= rest.count
          ? rest.starts(with: lower) : areHeads && lower.starts(with: rest)
      }
      return (upper + [scalars[index]]).map { scalar in
        Alternative(
          bytes: Array(String(scalar).utf8),
          scalarCount: scalar == scalars[index]
            ? 1 : scalar.properties.lowercaseMapping.unicodeScalars.count
        )
      }.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }
  }

  /// The spelling that a text is, or begins with if heads are wanted; `nil`: none.
  package func spelling(of text: some RandomAccessCollection<UInt8>) -> [UInt8]? {
    let path = path(along: Array(text))
    guard path.position >= alternatives.count, areHeads || path.byteCount == text.count else {
      return nil
    }
    return Array(text.prefix(path.byteCount))
  }

  /// The first spelling that is not before a text; `nil`: all are.
  package func first(notBefore text: [UInt8]) -> [UInt8]? {
    let path = path(along: text)
    if path.byteCount == text.count { return text + smallest(from: path.position) }
    // Somewhere the spelling must be greater: as late as possible.
    for (position, byteCount) in path.steps.reversed() where position < alternatives.count {
      let rest = text[byteCount...]
      guard
        let greater = alternatives[position].first(where: {
          rest.lexicographicallyPrecedes($0.bytes)
        })
      else { continue }
      return text[..<byteCount] + greater.bytes + smallest(from: position + greater.scalarCount)
    }
    return nil
  }

  /// The first spelling behind another one, and behind all texts that begin with it if heads are wanted.
  package func first(behind spelling: [UInt8]) -> [UInt8]? {
    guard areHeads, let last = spelling.last else { return first(notBefore: spelling + [0]) }
    // No byte of UTF-8 is the greatest.
    return first(notBefore: spelling.dropLast() + [last + 1])
  }

  /// How far a text is a spelling.
  private struct Path {
    var position = 0
    var byteCount = 0
    /// The positions that it came to, the first and the last among them.
    var steps: [(position: Int, byteCount: Int)] = [(0, 0)]
  }

  private func path(along text: [UInt8]) -> Path {
    var path = Path()
    while path.position < alternatives.count {
      let rest = text[path.byteCount...]
      guard let next = alternatives[path.position].first(where: { rest.starts(with: $0.bytes) })
      else { break }
      path.position += next.scalarCount
      path.byteCount += next.bytes.count
      path.steps.append((path.position, path.byteCount))
    }
    return path
  }

  private func smallest(from start: Int) -> [UInt8] {
    var (bytes, position) = ([] as [UInt8], start)
    while position < alternatives.count {
      let next = alternatives[position][0]
      bytes += next.bytes
      position += next.scalarCount
    }
    return bytes
  }

  /// The code points whose lowercase is another one, or begins with it.
  private static let uppercase: [Unicode.Scalar: [Unicode.Scalar]] = {
    var result: [Unicode.Scalar: [Unicode.Scalar]] = [:]
    // Between and behind them no script has cases.
    for value in [0x41..<0x3000, 0xa640..<0xac00, 0xff00..<0x1f000].joined() {
      guard let scalar = Unicode.Scalar(UInt32(value)), scalar.properties.changesWhenLowercased,
        let first = scalar.properties.lowercaseMapping.unicodeScalars.first
      else { continue }
      result[first, default: []].append(scalar)
    }
    return result
  }()
}
