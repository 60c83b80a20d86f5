/// What a command line, the environment and the defaults say together.
public struct ParsedArguments: Hashable, Sendable {
  /// What is neither an option nor an option's value.
  public private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]
  private var given: Set<String> = []
  /// Where the values come from that are not defaults, for messages.
  private var sources: [String: String] = [:]

  /// The values of an option, in the order of the command line.
  public func all(_ name: String) -> [String] { values[name] ?? [] }

  /// The value of an option, the last if there are several.
  public subscript(name: String) -> String? { values[name]?.last }

  /// A flag is set.
  public func has(_ flag: String) -> Bool { values[flag] != nil }

  /// The option stood on the command line itself.
  public func isGiven(_ name: String) -> Bool { given.contains(name) }

  /// The value of an option that must be a whole number in a range.
  public func number(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = self[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "\(source(name)) takes a whole number from \(range.lowerBound) to \(range.upperBound), "
          + "not '\(text)'"
      )
    }
    return number
  }

  /// The value of an option that must be a length of time: `500ms`, `10s`, `2m`, `1.5h`, or a bare
  /// number of seconds.
  public func duration(_ name: String) throws(UsageError) -> Duration? {
    guard let text = self[name] else { return nil }
    guard let duration = Duration(commandLine: text) else {
      throw UsageError("\(source(name)) takes a time like 500ms, 10s or 2m, not '\(text)'")
    }
    return duration
  }

  /// What a message about an option's value begins with: `--timeout`, `RPCCTL_TIMEOUT`, or the line
  /// of a configuration file.
  public func source(_ name: String) -> String { sources[name] ?? "--\(name)" }

  /// Reads a command line.
  ///
  /// Options may stand anywhere; `--` ends them; `--name=value` and `--name value` are the same.
  /// A value that begins with `--` needs the former. Letters may stand together: `-qojson`. Where an
  /// option that is not a list stands more than once, the last one wins.
  ///
  /// - Parameters:
  ///   - arguments: Without the program's own name.
  ///   - options: What is allowed.
  ///   - environment: Where options without a place on the command line are looked for.
  ///   - prefix: What the names of environment variables begin with.
  ///   - settings: What a configuration file says, by option name; below the environment.
  /// - Throws: What is wrong and what would be right.
  public init(
    _ arguments: [String],
    options: [Option],
    environment: [String: String] = [:],
    prefix: String,
    settings: [String: ConfigurationFile.Setting] = [:]
  ) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        break
      }
      guard argument.hasPrefix("-"), argument != "-", Int(argument) == nil else {
        operands.append(argument)
        continue
      }
      try parse(argument, &rest, options)
    }
    for option in options where values[option.name] == nil {
      let variable = option.variable(prefix: prefix)
      if let value = environment[variable], !value.isEmpty {
        try accept(value, for: option, from: variable)
      } else if let setting = settings[option.name] {
        try accept(setting.value, for: option, from: "\(setting.place): \(option.name)")
      } else if let value = option.defaultValue {
        values[option.name] = [value]
      }
    }
  }

  private mutating func parse(
    _ argument: String,
    _ rest: inout ArraySlice<String>,
    _ options: [Option]
  ) throws(UsageError) {
    for (option, attached) in try Self.named(by: argument, among: options) {
      given.insert(option.name)
      guard let placeholder = option.value else {
        values[option.name] = [""]
        continue
      }
      guard let value = attached ?? Self.popValue(&rest) else {
        throw UsageError("--\(option.name) needs a value: --\(option.name) \(placeholder)")
      }
      // The last one wins; only a list grows.
      if !option.repeats { values[option.name] = nil }
      try accept(value, for: option, from: "--\(option.name)")
      while option.takesMany, let next = rest.first, next == "-" || !next.hasPrefix("-") {
        try accept(next, for: option, from: "--\(option.name)")
        rest.removeFirst()
      }
    }
  }

  /// Takes the next word as a value; `nil` where there is none or a long option follows.
  private static func popValue(_ rest: inout ArraySlice<String>) -> String? {
    guard let next = rest.first, !next.hasPrefix("--") else { return nil }
    return rest.popFirst()
  }

  /// The options that one word names, with the value that is attached to the last one.
  ///
  /// `-qo=json` and `-qojson` are `-q -o json`: the first letter whose option takes a value ends them.
  package static func named(
    by argument: String,
    among options: [Option]
  ) throws(UsageError) -> [(option: Option, value: String?)] {
    let name = String(argument.drop { $0 == "-" }.prefix { $0 != "=" })
    func unknown() -> UsageError {
      UsageError(
        "unknown option '\(argument)'"
          + didYouMean(name, among: options.map(\.name), prefix: "--")
      )
    }
    if argument.hasPrefix("--") {
      guard let option = options.first(where: { $0.name == name }) else { throw unknown() }
      let value = argument.firstIndex(of: "=").map { String(argument[$0...].dropFirst()) }
      guard option.value != nil || value == nil else {
        throw UsageError("--\(option.name) takes no value")
      }
      return [(option, value)]
    }
    var found: [(option: Option, value: String?)] = []
    var letters = argument.dropFirst()
    while let letter = letters.popFirst() {
      guard let option = options.first(where: { $0.letter == letter }) else { throw unknown() }
      guard option.value == nil else {
        let value = letters.first == "=" ? letters.dropFirst() : letters
        found.append((option, letters.isEmpty ? nil : String(value)))
        break
      }
      guard letters.first != "=" else { throw UsageError("--\(option.name) takes no value") }
      found.append((option, nil))
    }
    return found
  }

  private mutating func accept(
    _ value: String,
    for option: Option,
    from source: String
  )
    throws(UsageError)
  {
    if option.value == nil {
      if !["0", "false", "no"].contains(value.lowercased()) { values[option.name] = [""] }
      return
    }
    guard option.choices.isEmpty || option.choices.contains(value) else {
      throw UsageError(
        "\(source) takes \(option.choices.joined(separator: ", ")), not '\(value)'"
          + didYouMean(value, among: option.choices)
      )
    }
    values[option.name, default: []].append(value)
    sources[option.name] = source
  }
}

extension Duration {
  /// A time as people write it; `nil` when the text is none or is not above zero.
  fileprivate init?(commandLine text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    let secondsPerUnit: [Substring: Double] = [
      "ms": 0.001, "": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400,
    ]
    guard let count = Double(digits), let unit = secondsPerUnit[text[digits.endIndex...]],
      count * unit > 0, count * unit < 1e9
    else { return nil }
    self = .seconds(count * unit)
  }
}
