/// An option together with the type of its value.
///
/// A command declares its keys and reads their values: `arguments[.zone]`. Values are checked when
/// the command line is parsed, so reading them cannot fail.
public struct OptionKey<Value: Sendable>: Sendable {
  /// The option's spelling and help.
  public let option: Option
  /// Converts the texts that the option has accepted; the last one counts unless it is a list.
  let value: @Sendable ([String]) -> Value

  private init(_ option: Option, value: @escaping @Sendable ([String]) -> Value) {
    self.option = option
    self.value = value
  }

  /// The name without dashes.
  public var name: String { option.name }

  /// The name with its dashes.
  public var spelling: String { option.spelling }

  /// Returns the same key with other help, for a command where its meaning is more specific.
  public func described(_ help: String) -> Self {
    Self(
      Option(
        option.name,
        letter: option.letter,
        option.kind,
        placeholder: option.placeholder,
        default: option.defaultValue,
        repeats: option.repeats,
        takesMany: option.takesMany,
        mayBeEmpty: option.mayBeEmpty,
        completion: option.completion,
        help: help
      ),
      value: value
    )
  }
}

extension OptionKey<Bool> {
  /// A flag.
  public init(flag name: String, letter: Character? = nil, _ help: String) {
    self.init(Option(name, letter: letter, .flag, help: help)) { !$0.isEmpty }
  }
}

extension OptionKey {
  /// A choice among the words of a type.
  public init<Word>(
    _ name: String,
    letter: Character? = nil,
    value placeholder: String,
    _ help: String
  ) where Value == Word?, Word: CaseIterable & RawRepresentable<String> {
    let choices = Word.allCases.map(\.rawValue)
    self.init(
      Option(name, letter: letter, .choice(choices), placeholder: placeholder, help: help)
    ) { $0.last.flatMap(Word.init(rawValue:)) }
  }

  /// A choice among the words of a type, with a default.
  public init(
    _ name: String,
    letter: Character? = nil,
    value placeholder: String,
    default defaultValue: Value,
    _ help: String
  ) where Value: CaseIterable & RawRepresentable<String> {
    self.init(
      Option(
        name,
        letter: letter,
        .choice(Value.allCases.map(\.rawValue)),
        placeholder: placeholder,
        default: defaultValue.rawValue,
        help: help
      )
    ) { $0.last.flatMap(Value.init(rawValue:)) ?? defaultValue }
  }
}

extension OptionKey<String?> {
  /// Text; a choice if there are words to choose from.
  public init(
    _ name: String,
    letter: Character? = nil,
    value placeholder: String,
    choices: [String] = [],
    mayBeEmpty: Bool = false,
    completion: Completion = .none,
    _ help: String
  ) {
    self.init(
      Option(
        name,
        letter: letter,
        choices.isEmpty ? .text : .choice(choices),
        placeholder: placeholder,
        mayBeEmpty: mayBeEmpty,
        completion: completion,
        help: help
      )
    ) { $0.last }
  }
}

extension OptionKey<String> {
  /// Text with a default; a choice if there are words to choose from.
  public init(
    _ name: String,
    letter: Character? = nil,
    value placeholder: String,
    default defaultValue: String,
    choices: [String] = [],
    completion: Completion = .none,
    _ help: String
  ) {
    self.init(
      Option(
        name,
        letter: letter,
        choices.isEmpty ? .text : .choice(choices),
        placeholder: placeholder,
        default: defaultValue,
        completion: completion,
        help: help
      )
    ) { $0.last ?? defaultValue }
  }
}

extension OptionKey<[String]> {
  /// A list: each use adds a value, or all words up to the next option.
  public init(
    list name: String,
    letter: Character? = nil,
    value placeholder: String,
    takesMany: Bool = false,
    mayBeEmpty: Bool = false,
    completion: Completion = .none,
    _ help: String
  ) {
    self.init(
      Option(
        name,
        letter: letter,
        .text,
        placeholder: placeholder,
        repeats: true,
        takesMany: takesMany,
        mayBeEmpty: mayBeEmpty,
        completion: completion,
        help: help
      )
    ) { $0 }
  }
}

extension OptionKey<Int?> {
  /// A whole number in a range.
  public init(
    _ name: String,
    letter: Character? = nil,
    value placeholder: String,
    in range: ClosedRange<Int>,
    _ help: String
  ) {
    self.init(
      Option(name, letter: letter, .number(range), placeholder: placeholder, help: help)
    ) { $0.last.flatMap { Int($0) } }
  }
}

extension OptionKey<Int> {
  /// A whole number in a range, with a default.
  public init(
    _ name: String,
    letter: Character? = nil,
    value placeholder: String,
    default defaultValue: Int,
    in range: ClosedRange<Int>,
    _ help: String
  ) {
    self.init(
      Option(
        name,
        letter: letter,
        .number(range),
        placeholder: placeholder,
        default: "\(defaultValue)",
        help: help
      )
    ) { $0.last.flatMap { Int($0) } ?? defaultValue }
  }
}

extension OptionKey<Duration?> {
  /// A duration.
  public init(time name: String, value placeholder: String = "TIME", _ help: String) {
    self.init(Option(name, .duration, placeholder: placeholder, help: help)) {
      $0.last.flatMap { Duration(commandLine: $0) }
    }
  }
}

extension OptionKey<Duration> {
  /// A duration with a default, for example `10s`.
  public init(
    time name: String,
    value placeholder: String = "TIME",
    default defaultText: String,
    _ help: String
  ) {
    guard let defaultValue = Duration(commandLine: defaultText) else {
      preconditionFailure("--\(name): '\(defaultText)' is not a duration")
    }
    self.init(
      Option(name, .duration, placeholder: placeholder, default: defaultText, help: help)
    ) { $0.last.flatMap { Duration(commandLine: $0) } ?? defaultValue }
  }
}

extension [Option] {
  /// The options of some keys.
  public init<each Value>(of key: repeat OptionKey<each Value>) {
    self = []
    repeat append((each key).option)
  }
}
