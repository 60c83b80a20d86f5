internal import CommandLineTools
internal import TidingsJSON

/// A field with its value, in one word of the command line.
///
/// `name=text` is verbatim text, `name:=JSON` a value of any type (`null` removes the field), and
/// `name@path` the content of a file, as an asset.
struct FieldPair: Hashable, Sendable {
  enum Content: Hashable, Sendable {
    case json(JSONValue)
    case file(path: String)
  }

  let name: String
  let content: Content

  /// Parses `name=text`, `name:=JSON` or `name@path`.
  init(_ word: String) throws(UsageError) {
    let name = word.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    let rest = word[name.endIndex...]
    guard !name.isEmpty, let sign = [":=", "=", "@"].first(where: rest.hasPrefix) else {
      throw UsageError("invalid field '\(word)': use name=text, name:=JSON or name@FILE")
    }
    self.name = String(name)
    let text = String(rest.dropFirst(sign.count))
    switch sign {
    case "=": content = .json(.string(text))
    case "@":
      guard !text.isEmpty else { throw UsageError("invalid field '\(word)': use \(name)@FILE") }
      content = .file(path: text)
    default:
      do {
        content = .json(try JSONValue(parsing: text))
      } catch {
        throw UsageError(
          "invalid JSON in '\(word)': \(error); for text use \(name)=\(text)"
        )
      }
    }
  }
}
