/// A group of verbs in a program's help.
public struct HelpSection: Sendable {
  /// The title.
  public let title: String
  /// The verbs, in order.
  public let commands: [Command]

  /// A group of verbs.
  public init(_ title: String, _ commands: [Command]) {
    self.title = title
    self.commands = commands
  }

  /// A line of a section: a verb, or all verbs that start with one word.
  public struct Line: Hashable, Sendable {
    /// The verb, or the first word with an ellipsis.
    public let name: String
    /// The verb's summary, or the words that may follow.
    public let text: String
  }

  /// The lines of single-word verbs, then a line for each first word of the others.
  public var lines: [Line] {
    let names = commands.flatMap { [$0.name] + $0.aliases }
    var groups: [(first: String, rest: [String])] = []
    for name in names {
      guard let space = name.firstIndex(of: " ") else { continue }
      let (first, rest) = (String(name[..<space]), String(name[name.index(after: space)...]))
      if let index = groups.firstIndex(where: { $0.first == first }) {
        groups[index].rest.append(rest)
      } else {
        groups.append((first, [rest]))
      }
    }
    return commands.filter { !$0.name.contains(" ") }.map { Line(name: $0.name, text: $0.summary) }
      + groups.map { Line(name: "\($0.first) …", text: $0.rest.joined(separator: ", ")) }
  }
}
