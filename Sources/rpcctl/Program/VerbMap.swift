internal import CommandLineTools

/// A tree of all verbs, for `--map`.
enum VerbMap {
  static var text: String {
    var lines = [Program.name]
    let sections = Program.helpSections
    for (index, section) in sections.enumerated() {
      let isLast = index == sections.count - 1
      lines.append((isLast ? "└─ " : "├─ ") + section.title)
      let width = section.commands.map(\.name.count).max() ?? 0
      for (index, command) in section.commands.enumerated() {
        let branch = index == section.commands.count - 1 ? "└─ " : "├─ "
        let padding = String(repeating: " ", count: width - command.name.count + 2)
        let aliases =
          command.aliases.isEmpty ? "" : " (also \(command.aliases.joined(separator: ", ")))"
        lines.append(
          (isLast ? "   " : "│  ") + branch + command.name + padding + command.summary + aliases
        )
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
