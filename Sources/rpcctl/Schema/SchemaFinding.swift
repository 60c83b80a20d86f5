/// Something about a schema that a person should look at.
struct SchemaFinding: Hashable, Sendable {
  /// How much it matters.
  enum Level: String, Sendable {
    /// It breaks something.
    case error
    /// It is probably not what was meant.
    case warning
    /// It is a matter of style, or good to know.
    case note
  }

  let level: Level
  /// What it is about: `House.price`, `ROLE editor`.
  let subject: String
  /// The line of the text, counted from 1; `nil`: there is no text.
  var line: Int?
  /// What is so, and what to do.
  let message: String
}
