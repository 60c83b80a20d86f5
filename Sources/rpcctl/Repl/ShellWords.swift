internal import CommandLineTools

/// A line split into words, with shell quoting: `'…'`, `"…"`, and a backslash for one character.
struct ShellWords: Hashable {
  /// The words; the last one is incomplete if the line does not end in a space.
  private(set) var words: [String] = []
  /// A quote is still open, or the line ends with a backslash.
  private(set) var isOpen = false
  /// The line ends within a word.
  private(set) var endsInWord = false

  /// Parses a line; a word that starts with `#` starts a comment.
  init(_ line: String) {
    var word: String?
    var quote: Character?
    var isEscaped = false
    for character in line {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if character.isWhitespace {
        if let word { words.append(word) }
        word = nil
      } else if character == "#", word == nil {
        return
      } else {
        word = (word ?? "") + String(character)
      }
    }
    isOpen = quote != nil || isEscaped
    endsInWord = word != nil || isOpen
    if let word { words.append(word) }
  }

  /// Returns the words of a complete line.
  static func complete(_ line: String) throws(UsageError) -> [String] {
    let line = ShellWords(line)
    guard !line.isOpen else { throw UsageError("unterminated quote at the end of the line") }
    return line.words
  }

  /// The words, with the incomplete one, which may be empty, at the end.
  var typed: [String] { endsInWord && !words.isEmpty ? words : words + [""] }
}
