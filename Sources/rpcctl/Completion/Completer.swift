internal import CommandLineTools

/// Completes the last word of a command line.
struct Completer {
  /// A possible completion.
  struct Candidate: Hashable {
    let word: String
    /// The description; may be empty.
    var about = ""
  }

  /// The completions for a shell.
  struct Proposal {
    var candidates: [Candidate] = []
    /// What the program or the shell adds.
    var completion = Completion.none
    /// The prefix of each candidate: `--output=`.
    var prefix = ""
  }

  private let verbs: [Verb]
  private let options: [Option]
  /// The word that is being typed.
  private let current: String
  /// The verb so far, possibly only its first words.
  private(set) var verbWords: [String] = []
  /// The operands after the verb.
  private(set) var operands: [String] = []
  /// The options before the current word, with their values.
  private(set) var given: [(name: String, values: [String])] = []
  /// The option whose value is being typed.
  private var open: Option?
  /// Only operands can follow, because of `--`.
  private var optionsHaveEnded = false

  /// Parses a command line.
  ///
  /// - Parameters:
  ///   - words: Without the program's name; the last one is being typed, and may be empty. Shells may
  ///     have split `--name=value` into three.
  ///   - verbs: The verbs to complete.
  ///   - options: The general options.
  init(_ words: [String], verbs: [Verb] = Verb.shown, options: [Option] = Settings.options) {
    self.verbs = verbs
    self.options = options
    var words = words
    var last = words.popLast() ?? ""
    if last == "=" { last = "" }
    current = last
    for word in words where word != "=" { take(word) }
  }

  private mutating func take(_ word: String) {
    if let option = open {
      let isValue = !OptionGrammar.isOption(word)
      if isValue || given.last?.values.isEmpty == true {
        given[given.count - 1].values.append(word)
        if !option.takesMany { open = nil }
        return
      }
      open = nil
    }
    if word == "--" {
      optionsHaveEnded = true
    } else if !optionsHaveEnded, OptionGrammar.isOption(word) {
      takeOption(word)
    } else if verb == nil, !nextWords(after: verbWords).isEmpty {
      verbWords.append(word)
    } else {
      operands.append(word)
    }
  }

  private mutating func takeOption(_ word: String) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard let option = option(String(parts[0])) else { return }
    given.append((option.name, parts.count > 1 ? [String(parts[1])] : []))
    if !option.isFlag, parts.count == 1 { open = option }
  }

  /// The current word without the prefix of the candidates.
  func typed(after prefix: String) -> String {
    current.hasPrefix(prefix) ? String(current.dropFirst(prefix.count)) : current
  }

  /// The verb, once it is complete.
  var verb: Verb? {
    let name = verbWords.joined(separator: " ")
    return name.isEmpty ? nil : verbs.first { $0.names.contains(name) }
  }

  /// Returns the completions.
  var proposal: Proposal {
    if let open {
      let values = values(of: open)
      // An option with several values may have enough of them.
      guard open.takesMany, current.hasPrefix("-"), given.last?.values.isEmpty == false else {
        return values
      }
    }
    if !optionsHaveEnded, current.hasPrefix("-") { return optionProposal }
    guard let verb else { return Proposal(candidates: verbCandidates) }
    return Proposal(completion: verb.command.completion)
  }

  private var optionProposal: Proposal {
    if let equals = current.firstIndex(of: "="), let option = option(String(current[..<equals])) {
      var proposal = values(of: option)
      proposal.prefix = String(current[...equals])
      return proposal
    }
    let used = Set(given.map(\.name))
    return Proposal(
      candidates: allOptions.filter { $0.repeats || !used.contains($0.name) }
        .map { Candidate(word: "--\($0.name)", about: $0.help) }
    )
  }

  private func values(of option: Option) -> Proposal {
    Proposal(
      candidates: option.choices.map { Candidate(word: $0) },
      completion: option.choices.isEmpty ? option.completion : .none
    )
  }

  private var allOptions: [Option] { (verb?.command.options ?? []) + options }

  private func option(_ spelling: String) -> Option? {
    allOptions.first { option in
      spelling == "--" + option.name || option.letter.map { spelling == "-\($0)" } ?? false
    }
  }

  private var verbCandidates: [Candidate] { nextWords(after: verbWords) }

  /// Returns the next words of the verbs that start with the words so far, each once.
  func nextWords(after words: [String]) -> [Candidate] {
    var candidates: [Candidate] = []
    var seen: [String: Int] = [:]
    for verb in verbs {
      for name in verb.names {
        let parts = name.split(separator: " ").map(String.init)
        guard parts.count > words.count, Array(parts[..<words.count]) == words else { continue }
        let word = parts[words.count]
        let isWhole = parts.count == words.count + 1
        if let index = seen[word] {
          if !isWhole {
            candidates[index].about += ", " + parts[(words.count + 1)...].joined(separator: " ")
          }
          continue
        }
        seen[word] = candidates.count
        let rest = parts[(words.count + 1)...].joined(separator: " ")
        candidates.append(Candidate(word: word, about: isWhole ? verb.command.summary : rest))
      }
    }
    return candidates
  }
}
