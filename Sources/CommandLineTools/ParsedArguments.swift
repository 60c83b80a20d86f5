/// The operands and option values of a command line.
///
/// A value comes from the command line, else from the environment, else from a configuration file,
/// else from the option's default.
public struct ParsedArguments: Sendable {
  /// The words that are neither options nor values of options.
  public private(set) var operands: [String] = []
  /// The first error; parsing continues after it, so that later options still apply.
  package private(set) var error: UsageError?
  private let options: [String: Option]
  private var values: [String: Given] = [:]

  /// The values of one option with their source.
  private struct Given {
    var texts: [String]
    /// The source in messages: `--timeout`, `RPCCTL_TIMEOUT`, or a line of a file.
    let source: String
    let isFromCommandLine: Bool
  }

  /// Parses a command line.
  ///
  /// Options may appear anywhere; `--` ends them; `--name=value` and `--name value` are the same.
  /// A value that starts with `-` and is not a number requires the former. Letters can be combined:
  /// `-qojson`. If an option that is not a list appears more than once, the last one wins.
  ///
  /// - Parameters:
  ///   - words: The command line without the program's own name.
  ///   - options: The declared options.
  ///   - environment: Values of options that are not on the command line.
  ///   - prefix: The prefix of environment variables.
  ///   - settings: Values of a configuration file, by option name; the environment takes precedence.
  /// - Throws: The first error.
  public init(
    _ words: [String],
    options: [Option],
    environment: [String: String] = [:],
    prefix: String,
    settings: [String: ConfigurationFile.Setting] = [:]
  ) throws(UsageError) {
    self.init(reading: words, options: options, environment: environment, prefix: prefix)
    try check()
    try fill(from: settings)
  }

  /// Parses a command line, and keeps the first error instead of throwing it.
  package init(
    reading words: [String],
    options: [Option],
    environment: [String: String],
    prefix: String
  ) {
    self.options = Dictionary(uniqueKeysWithValues: options.map { ($0.name, $0) })
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      guard OptionGrammar.isOption(word) else {
        operands.append(word)
        continue
      }
      do throws(UsageError) {
        for (option, value) in try OptionGrammar.options(namedBy: word, among: options) {
          try read(option, value, &rest)
        }
      } catch {
        self.error = self.error ?? error
      }
    }
    for option in options where values[option.name] == nil {
      let variable = option.variable(prefix: prefix)
      guard let value = environment[variable], !value.isEmpty else { continue }
      do throws(UsageError) {
        try accept(value, for: option, from: variable)
      } catch {
        self.error = self.error ?? error
      }
    }
  }

  /// Throws the first error of the command line and the environment.
  package func check() throws(UsageError) {
    if let error { throw error }
  }

  /// Adds the values of a configuration file for options that have none yet.
  package mutating func fill(
    from settings: [String: ConfigurationFile.Setting]
  ) throws(UsageError) {
    for option in options.values where values[option.name] == nil {
      guard let setting = settings[option.name] else { continue }
      try accept(setting.value, for: option, from: "\(setting.location): \(option.name)")
    }
  }

  /// The value of a declared option; reading an undeclared one is a programming error.
  public subscript<Value>(key: OptionKey<Value>) -> Value {
    key.value(texts(of: key.option))
  }

  /// Returns the value of an option if it is on the command line itself.
  public func given<Value>(_ key: OptionKey<Value>) -> Value? {
    isGiven(key) ? self[key] : nil
  }

  /// Returns the value of an option as text, the last one of a list.
  package func text(of option: Option) -> String? { texts(of: option).last }

  /// Returns whether the option has a value other than its default.
  public func has(_ option: Option) -> Bool {
    requireDeclared(option)
    return values[option.name]?.texts.isEmpty == false
  }

  /// Returns whether the option is on the command line itself.
  public func isGiven<Value>(_ key: OptionKey<Value>) -> Bool { isGiven(key.option) }

  /// Returns whether the option is on the command line itself.
  package func isGiven(_ option: Option) -> Bool {
    requireDeclared(option)
    return values[option.name]?.isFromCommandLine == true
  }

  /// Returns the source of an option's value, for messages: `--timeout`, `RPCCTL_TIMEOUT`, or the line
  /// of a configuration file.
  public func source<Value>(_ key: OptionKey<Value>) -> String {
    values[key.name]?.source ?? "--\(key.name)"
  }

  private func texts(of option: Option) -> [String] {
    let declared = requireDeclared(option)
    return values[option.name]?.texts ?? declared.defaultValue.map { [$0] } ?? []
  }

  @discardableResult
  private func requireDeclared(_ option: Option) -> Option {
    guard let declared = options[option.name] else {
      preconditionFailure("--\(option.name) is not declared by the command that reads it")
    }
    return declared
  }

  /// Reads the values after an option.
  private mutating func read(
    _ option: Option,
    _ attached: String?,
    _ rest: inout ArraySlice<String>
  ) throws(UsageError) {
    let source = "--\(option.name)"
    if option.isFlag {
      values[option.name] = Given(texts: [""], source: source, isFromCommandLine: true)
      return
    }
    var texts = attached.map { [$0] } ?? []
    while texts.isEmpty || option.takesMany {
      guard let next = rest.first, !OptionGrammar.isOption(next) else { break }
      texts.append(rest.removeFirst())
    }
    guard !texts.isEmpty else {
      let isOption =
        rest.first.map { word in
          (try? OptionGrammar.options(namedBy: word, among: Array(options.values))) != nil
        } ?? true
      let hint =
        isOption
        ? "" : "; write a value that starts with '-' as \(source)=\(rest[rest.startIndex])"
      throw UsageError("\(source) requires a value: \(source) \(option.placeholder)\(hint)")
    }
    for text in texts { try option.check(text, from: source) }
    // The last one wins; only a list grows.
    let before = option.repeats ? values[option.name]?.texts ?? [] : []
    values[option.name] = Given(texts: before + texts, source: source, isFromCommandLine: true)
  }

  /// Adds the value of an environment variable or of a configuration file.
  private mutating func accept(
    _ value: String,
    for option: Option,
    from source: String
  ) throws(UsageError) {
    let isOff = option.isFlag && ["0", "false", "no"].contains(value.lowercased())
    try option.check(value, from: source)
    values[option.name] = Given(
      texts: isOff ? [] : [value],
      source: source,
      isFromCommandLine: false
    )
  }
}
