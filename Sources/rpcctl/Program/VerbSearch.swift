internal import CommandLineTools

/// The verb of a command line.
///
/// Only general options may precede the verb or stand between its words: the options of a verb are
/// known only after the verb.
struct VerbSearch {
  /// The words of the verb, for example `keys ring create`; `nil` if there are none.
  private(set) var name: String?
  /// The other words: options, their values and operands.
  private(set) var rest: [String]
  /// The error that ended the search, if any.
  private(set) var error: UsageError?

  /// Finds the first words that are neither options nor values of options.
  init(_ words: [String]) {
    rest = words
    var index = 0
    while index < rest.count, name.map({ !Verb.group($0).isEmpty }) ?? true {
      let word = rest[index]
      if word == "--" {
        index += 1
      } else if OptionGrammar.isOption(word) {
        do throws(UsageError) {
          index += try Self.countWords(at: word)
        } catch {
          self.error = error
          return
        }
      } else {
        name = name.map { $0 + " " + word } ?? word
        rest.remove(at: index)
      }
    }
  }

  /// The verb, if there is one of this name.
  var verb: Verb? { name.flatMap { name in Verb.all.first { $0.names.contains(name) } } }

  /// Returns how many words an option and its value take.
  private static func countWords(at word: String) throws(UsageError) -> Int {
    do {
      let last = try OptionGrammar.options(namedBy: word, among: Settings.options).last
      return last.map { $0.option.isFlag || $0.value != nil } ?? true ? 1 : 2
    } catch {
      let names = Verb.all.flatMap(\.command.options).map { "--" + $0.name }
      guard names.contains(String(word.prefix { $0 != "=" })) else { throw error }
      throw UsageError("'\(word)' is an option of a verb: put it after the verb")
    }
  }
}
