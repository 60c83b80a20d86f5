internal import CommandLineTools

/// A second place of a verb that has two: what the global options say of the first, each of these says
/// of the other, behind a word: `--to-endpoint`.
///
/// What is not said is as in the first place; with a context, as the context says.
struct OtherLocation: Sendable {
  private static let names = [
    "context", "endpoint", "container", "environment", "database", "owner", "key-file",
    "server-key", "as", "device",
  ]

  /// The options of the other place.
  static func options(_ word: String) -> [Option] {
    Settings.options.filter { names.contains($0.name) }.map { option in
      Option(
        "\(word)-\(option.name)",
        value: option.value ?? "",
        choices: option.choices,
        completion: option.completion,
        "The other place's --\(option.name); without it the same as here."
      )
    }
  }

  /// The settings of the other place.
  static func settings(_ word: String, _ invocation: Invocation) throws -> Settings {
    let here = invocation.arguments
    var list: [String] = []
    for name in names {
      let isLeftToContext = here.has("\(word)-context") && name != "context"
      if let value = here["\(word)-\(name)"] ?? (isLeftToContext ? nil : here[name]) {
        list.append("--\(name)=\(value)")
      }
    }
    for name in ["timeout", "connect-timeout", "key-ring", "retries"] {
      if let value = here[name] { list.append("--\(name)=\(value)") }
    }
    let options = Settings.options
    let prefix = "RPCCTL_\(word.uppercased())"
    let parsed = try ParsedArguments(list, options: options, prefix: prefix)
    guard here.has("\(word)-context"), let name = here["\(word)-context"] else {
      return try Settings(parsed)
    }
    let context = try ContextFolder(invocation.program.environment).read(name)
    return try Settings(
      ParsedArguments(list, options: options, prefix: prefix, settings: context.settings)
    )
  }
}
