internal import Foundation

extension FormatText {
  /// The format with searches for words as the server reads them: `allTokens TOKENMATCHES[cdl] %@`, which only CloudKit
  /// has, is `self CONTAINS %@`.
  var withSearch: FormatText {
    guard format.range(of: "TOKENMATCHES", options: .caseInsensitive) != nil else { return self }
    var (text, plain, rest) = ("", "", format[...])
    while let character = rest.popFirst() {
      guard character == "\"" || character == "'" else {
        plain.append(character)
        continue
      }
      text += Self.search(plain) + Self.literal(character, &rest)
      plain = ""
    }
    return FormatText(format: text + Self.search(plain), arguments: arguments)
  }

  private static func search(_ plain: String) -> String {
    plain.replacingOccurrences(
      of: #"\ballTokens\s+TOKENMATCHES(\s*\[[a-z]*\])?"#,
      with: "self CONTAINS",
      options: [.regularExpression, .caseInsensitive]
    )
  }

  /// A literal with its quotes, of which the first was read.
  private static func literal(_ quote: Character, _ rest: inout Substring) -> String {
    var literal = String(quote)
    while let character = rest.popFirst() {
      literal.append(character)
      if character == "\\", let escaped = rest.popFirst() { literal.append(escaped) }
      if character == quote { break }
    }
    return literal
  }
}
