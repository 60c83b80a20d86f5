/// A piece of an SQL text; all pieces together are the text.
struct Token: Equatable {
  enum Kind {
    /// A name or a key word, not in quotes.
    case word
    /// `?1`.
    case parameter
    /// `x'0aff'`.
    case bytes
    /// White space or a comment.
    case blank
    /// A text, a name in quotes, a number, or a sign.
    case other
  }

  let kind: Kind
  let text: String

  /// The pieces of a text.
  static func tokens(of sql: String) -> [Token] {
    var rest = Substring(sql)
    var tokens: [Token] = []
    while let first = rest.unicodeScalars.first {
      let (kind, count) = next(in: rest.unicodeScalars, first)
      let end = rest.unicodeScalars.index(rest.startIndex, offsetBy: count)
      tokens.append(Token(kind: kind, text: String(rest[..<end])))
      rest = rest[end...]
    }
    return tokens
  }

  /// The kind and the length of the first piece.
  private static func next(
    in rest: Substring.UnicodeScalarView,
    _ first: Unicode.Scalar
  ) -> (Kind, Int) {
    let second = rest.dropFirst().first
    switch first {
    case "'", "\"": return (.other, quoted(rest, first))
    case "x" where second == "'", "X" where second == "'":
      return (.bytes, 1 + quoted(rest.dropFirst(), "'"))
    case "-" where second == "-": return (.blank, rest.prefix { $0 != "\n" }.count)
    case "/" where second == "*": return (.blank, comment(rest))
    case "?": return (.parameter, 1 + rest.dropFirst().prefix(while: isDigit).count)
    case _ where first.properties.isWhitespace:
      return (.blank, rest.prefix { $0.properties.isWhitespace }.count)
    case _ where isDigit(first): return (.other, rest.prefix(while: isPartOfWord).count)
    case _ where isPartOfWord(first): return (.word, rest.prefix(while: isPartOfWord).count)
    default: return (.other, 1)
    }
  }

  /// The length of what is in quotes; a doubled quote within is two pieces, which is as good.
  private static func quoted(_ rest: Substring.UnicodeScalarView, _ quote: Unicode.Scalar) -> Int {
    let content = rest.dropFirst().prefix { $0 != quote }.count
    return min(content + 2, rest.count)
  }

  private static func comment(_ rest: Substring.UnicodeScalarView) -> Int {
    var (count, previous) = (2, Unicode.Scalar(" "))
    for scalar in rest.dropFirst(2) {
      count += 1
      if previous == "*", scalar == "/" { break }
      previous = scalar
    }
    return count
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { "0"..."9" ~= scalar }

  private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isAlphabetic || isDigit(scalar)
  }
}
