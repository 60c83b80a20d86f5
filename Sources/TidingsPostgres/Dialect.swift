/// PostgreSQL's form of a statement in the shared dialect.
///
/// Only words and literals outside of texts and comments are changed:
///
/// | shared dialect | PostgreSQL |
/// |---|---|
/// | `?1` | `$1` |
/// | `x'0aff'`, which PostgreSQL reads as bits | `'\x0aff'::bytea` |
/// | `user`, which PostgreSQL reads as the name of the login | `"user"` |
/// | `max(a, b)` and `min(a, b)` with several arguments | `greatest(a, b)`, `least(a, b)` |
/// | `CROSS JOIN … ON`, which fixes the order of a join in SQLite | `JOIN … ON` |
/// | `BEGIN IMMEDIATE` | `BEGIN` |
enum Dialect {
  /// One statement.
  struct Statement: Equatable {
    /// In PostgreSQL's form.
    var sql: String
    /// The numbers of its parameters, each once, in ascending order.
    var parameters: [Int]
  }

  /// Translates a text of any number of statements.
  ///
  /// - Returns: The statements that are not empty, without the semicolons between them.
  static func statements(_ sql: String) -> [Statement] {
    var statements: [[Token]] = [[]]
    for token in Token.tokens(of: sql) {
      if token.text == ";" {
        statements.append([])
      } else {
        statements[statements.count - 1].append(token)
      }
    }
    return statements.filter { $0.contains { $0.kind != .blank } }.map { tokens in
      let numbers = tokens.filter { $0.kind == .parameter }.compactMap { Int($0.text.dropFirst()) }
      return Statement(sql: translated(tokens), parameters: Set(numbers).sorted())
    }
  }

  private static func translated(_ tokens: [Token]) -> String {
    var parts: [String] = []
    for (index, token) in tokens.enumerated() {
      switch token.kind {
      case .parameter: parts.append("$" + token.text.dropFirst())
      case .bytes: parts.append("'\\x\(token.text.dropFirst(2).dropLast())'::bytea")
      case .word: parts.append(word(token.text, at: index, in: tokens))
      case .blank, .other: parts.append(token.text)
      }
    }
    return parts.joined()
  }

  private static func word(_ text: String, at index: Int, in tokens: [Token]) -> String {
    switch text.lowercased() {
    case "user": "\"user\""
    case "immediate" where previousWord(before: index, in: tokens) == "begin": ""
    case "cross" where isFollowed(by: "on", after: index, in: tokens): ""
    case "max" where hasSeveralArguments(after: index, in: tokens): "greatest"
    case "min" where hasSeveralArguments(after: index, in: tokens): "least"
    default: text
    }
  }

  private static func previousWord(before index: Int, in tokens: [Token]) -> String? {
    tokens[..<index].last { $0.kind != .blank }?.text.lowercased()
  }

  private static func isFollowed(by word: String, after index: Int, in tokens: [Token]) -> Bool {
    tokens[index...].contains { $0.kind == .word && $0.text.lowercased() == word }
  }

  /// Whether the parentheses that follow hold a comma that is not in others within.
  private static func hasSeveralArguments(after index: Int, in tokens: [Token]) -> Bool {
    let rest = tokens[(index + 1)...].drop { $0.kind == .blank }
    guard rest.first?.text == "(" else { return false }
    var depth = 0
    for token in rest {
      switch token.text {
      case "(": depth += 1
      case ")":
        depth -= 1
        if depth == 0 { return false }
      case "," where depth == 1: return true
      default: break
      }
    }
    return false
  }
}
