internal import CommandLineTools

/// A second place of a verb that has two: what the global options say of the first, each of these says
/// of the other, behind a word: `--to-endpoint`.
///
/// What is not said is as in the first place; with a context, as the context says.
struct OtherLocation: Sendable {
  private static let own = [Option](
    of: .context,
    .endpoint,
    .container,
    .environment,
    .database,
    .owner,
    .keyFile,
    .serverKey,
    .user,
    .device
  )
  /// What both places have in common.
  private static let common = [Option](of: .timeout, .connectTimeout, .keyRing, .retries)

  /// The options of the other place.
  static func options(_ word: String) -> [Option] { own.map { option($0, word) } }

  private static func option(_ option: Option, _ word: String) -> Option {
    Option(
      "\(word)-\(option.name)",
      option.kind,
      placeholder: option.placeholder,
      completion: option.completion,
      help: "The other place's \(option.spelling); without it the same as here."
    )
  }

  /// The settings of the other place.
  static func settings(_ word: String, _ invocation: Invocation) throws -> Settings {
    let here = invocation.arguments
    let context = here.text(of: option(OptionKey.context.option, word))
    var words: [String] = []
    for option in own {
      let isLeftToContext = context != nil && option.name != OptionKey.context.name
      let value = here.text(of: Self.option(option, word))
      if let value = value ?? (isLeftToContext ? nil : here.text(of: option)) {
        words.append("\(option.spelling)=\(value)")
      }
    }
    for option in common {
      if let value = here.text(of: option) { words.append("\(option.spelling)=\(value)") }
    }
    let settings = try context.map {
      try ContextFolder(invocation.program.environment).read($0).settings
    }
    return try Settings(
      ParsedArguments(
        words,
        options: Settings.options,
        prefix: "RPCCTL_\(word.uppercased())",
        settings: settings ?? [:]
      )
    )
  }
}
