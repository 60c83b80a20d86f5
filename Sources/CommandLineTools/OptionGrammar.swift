/// The syntax of options on a command line.
package enum OptionGrammar {
  /// Returns whether a word is an option: `-5`, a bare `-` and a public key that begins so are not.
  package static func isOption(_ word: String) -> Bool {
    guard word.hasPrefix("-"), word != "-", !isKey(word) else { return false }
    return !(word.dropFirst().drop { $0 == "." }.first?.isNumber ?? false)
  }

  /// Returns whether a word looks like a public key in Z85: 40 characters, among them some that are in no option's name, as in
  /// nearly every key.
  private static func isKey(_ word: String) -> Bool {
    let marks = "!?&<>()[]{}@%$#^*+"
    let others = ".-:=/"
    guard word.utf8.count == 40, word.contains(where: marks.contains) else { return false }
    let isLongOptionWithValue =
      word.hasPrefix("--")
      && word.prefix { $0 != "=" }.dropFirst(2).allSatisfy { $0.isLowercase || $0 == "-" }
    return !isLongOptionWithValue
      && word.allSatisfy { character in
        character.isASCII
          && (character.isLetter || character.isNumber || marks.contains(character)
            || others.contains(character))
      }
  }

  /// Returns the options in one word, with the value that is attached to the last one.
  ///
  /// `-qo=json` and `-qojson` are `-q -o json`: the first letter whose option accepts a value ends them.
  package static func options(
    namedBy word: String,
    among options: [Option]
  ) throws(UsageError) -> [(option: Option, value: String?)] {
    guard word.hasPrefix("--") else { return try letters(word, options) }
    let name = String(word.dropFirst(2).prefix { $0 != "=" })
    guard let option = options.first(where: { $0.name == name }) else {
      throw unknown(word, options)
    }
    let value = word.firstIndex(of: "=").map { String(word[$0...].dropFirst()) }
    guard !option.isFlag || value == nil else {
      throw UsageError("--\(option.name) takes no value")
    }
    return [(option, value)]
  }

  private static func letters(
    _ word: String,
    _ options: [Option]
  ) throws(UsageError) -> [(option: Option, value: String?)] {
    var found: [(option: Option, value: String?)] = []
    var letters = word.dropFirst()
    while let letter = letters.popFirst() {
      guard let option = options.first(where: { $0.letter == letter }) else {
        throw unknown(word, options)
      }
      guard option.isFlag else {
        let value = letters.first == "=" ? letters.dropFirst() : letters
        found.append((option, letters.isEmpty ? nil : String(value)))
        break
      }
      guard letters.first != "=" else { throw UsageError("--\(option.name) takes no value") }
      found.append((option, nil))
    }
    return found
  }

  private static func unknown(_ word: String, _ options: [Option]) -> UsageError {
    let name = String(word.drop { $0 == "-" }.prefix { $0 != "=" })
    return UsageError(
      "unknown option '\(word)'" + didYouMean(name, among: options.map(\.name), prefix: "--")
    )
  }
}
