/// A finding about a schema.
struct SchemaFinding: Hashable, Sendable {
  /// The severity.
  enum Level: String, Sendable {
    /// An incompatible change.
    case error
    /// A probable mistake.
    case warning
    /// A matter of style or information.
    case note
  }

  let level: Level
  /// The subject: `House.price`, `ROLE editor`.
  let subject: String
  /// The line of the text, from 1; `nil`: there is no text.
  var line: Int?
  /// The finding and advice.
  let message: String
}
