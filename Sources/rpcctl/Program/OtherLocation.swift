internal import CommandLineTools

/// The second location of a verb that has two, in options with a prefix: `--to-endpoint`.
///
/// Each option defaults to that of the first location or, with a context, to the context.
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
  /// Options that both locations share.
  private static let common = [Option](of: .timeout, .connectTimeout, .keyRing, .retries)

  /// Returns the options of the other location.
  static func options(_ word: String) -> [Option] { own.map { option($0, word) } }

  private static func option(_ option: Option, _ word: String) -> Option {
    Option(
      "\(word)-\(option.name)",
      option.kind,
      placeholder: option.placeholder,
      completion: option.completion,
      help: "\(option.spelling) of the other location (default: the same as \(option.spelling))."
    )
  }

  /// Returns the settings of the other location.
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
