import CommandLineTools
import TestSupport
import Testing
import TidingsRPC

@testable import rpcctl

/// The examples in the help are valid commands.
@Suite struct HelpExampleTests {
  /// Every example in the help.
  static let examples = Verb.shown.flatMap { examples(in: $0.command.discussion) }

  /// The examples in a text: lines that start with `rpcctl`, with continuation lines.
  static func examples(in text: String) -> [String] {
    var examples: [String] = []
    var isOpen = false
    for line in text.split(separator: "\n") {
      let text = line.drop { $0 == " " }
      if text.hasPrefix("rpcctl ") {
        examples.append(String(text))
      } else if isOpen {
        examples[examples.count - 1] += "\n" + text
      } else {
        continue
      }
      let last = examples[examples.count - 1]
      isOpen = last.hasSuffix("\\") || last.count { $0 == "'" } % 2 == 1
    }
    return examples
  }

  private static let token = "Abo8V/kNxoLkAQDsHnMElU/Qao+L5XKGHUqK"

  /// Files that are written, or not read through the program's input, are real ones.
  private static func word(_ word: String, in folder: TemporaryFolder) -> String {
    let (sign, path) = word.hasPrefix("@") ? ("@", String(word.dropFirst())) : ("", word)
    let isReal = [".ring", ".token", ".state", ".copy", "man1"].contains(where: path.hasSuffix)
    return isReal ? sign + folder.file(path) : word
  }

  /// The commands of a pipeline, split into words as in a shell.
  static func commands(_ example: String) -> [[String]] {
    var commands: [[String]] = [[]]
    var word: String?
    var quote: Character?
    var isEscaped = false
    for character in example {
      if isEscaped {
        if character != "\n" { word = (word ?? "") + String(character) }
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if character == " " || character == "\n" || character == "|" {
        if let word { commands[commands.count - 1].append(word) }
        word = nil
        if character == "|" { commands.append([]) }
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let word { commands[commands.count - 1].append(word) }
    return commands
  }

  /// Examples with shell substitutions are skipped.
  private static let withoutSubstitutions = examples.filter { !$0.contains("$(") }

  @Test("the examples are valid", arguments: withoutSubstitutions)
  func example(text: String) async throws {
    var count = 0
    let folder = try TemporaryFolder()
    let environment = ["XDG_CONFIG_HOME": folder.path]
    let contexts = ContextFolder(environment)
    for name in ["home", "old"] { try contexts.write("as = ada\n", as: name) }
    try contexts.select(.init(current: "home", previous: "old"))
    for command in Self.commands(text) where command.first == "rpcctl" {
      count += 1
      let run = await ProgramRun(
        list: command.dropFirst().prefix { ![">", "<"].contains($0) }.map {
          Self.word($0, in: folder)
        },
        environment: environment,
        files: [
          "-": command.contains("repl") ? "version" : #"{"recordType":"T","recordName":"a"}"#,
          "eckey-pub.pem":
            "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----\n", "houses.jsonl": "",
          "houses.ckdb": "DEFINE SCHEMA",
          "houses.json": #"{"recordType":"T","recordName":"a"}"#,
          folder.file("notes.token"): Self.token, folder.file("mailer.state"): Self.token,
        ]
      )
      #expect(run.exitCode != .usage, "\(command): \(run.err)")
      #expect(!run.err.contains("cannot read"), "\(command): \(run.err)")
    }
    #expect(count > 0)
  }

  @Test("most verbs have an example")
  func all() {
    for verb in Verb.shown where verb.command.name != "help" {
      #expect(
        Self.examples.contains {
          $0.contains("rpcctl \(verb.command.name)")
            || $0.contains(" \(verb.command.name)")
        },
        "\(verb.command.name)"
      )
    }
  }
}
