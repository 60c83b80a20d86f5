import Dispatch
import Foundation
import TestSupport
import Testing

@testable import rpcctl

/// Real shells, with the scripts that rpcctl prints, and a real server behind them.
@Suite(.endsServers) struct ShellCompletionTests {
  /// Each prints the candidates for command lines, one a line, and a line of dashes after each.
  private static let scripts = [
    "bash": #"""
    source <("$RPCCTL" completion bash)
    try() {
      COMP_WORDS=("$RPCCTL" "$@"); COMP_CWORD=$#
      _rpcctl
      ((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
      echo ---
    }
    """#,
    "zsh": #"""
    compdef() { }
    _describe() { print -rl -- "${(@)${(@P)@[-1]}%%:[A-Z]*}" }
    _files() { print -rl -- ${words[CURRENT]}*(N) }
    source <("$RPCCTL" completion zsh)
    try() {
      words=("$RPCCTL" "$@"); CURRENT=$#words
      _rpcctl
      print -- ---
    }
    """#,
    "fish": #"""
    $RPCCTL completion fish | source
    complete -c (basename $RPCCTL) -f -a '(__rpcctl_complete)'
    function try
      # Fish completes a text; every word but the last has no need of quotes here.
      complete -C (string join ' ' -- $RPCCTL $argv) | string replace -r '\t.*' ''
      echo ---
    end
    """#,
  ]

  @Test("verbs, options, choices, files, zones and records", arguments: ["bash", "zsh", "fish"])
  func completes(shell: String) async throws {
    guard let shellPath = Executable.path(shell) else { return }
    let server = try await TestServer.start()
    let zones = await RpcctlRun(server, ["modify-zones", "--save", "notes", "news"])
    #expect(zones.exitCode == .success, "\(zones.err)")
    let saved = await RpcctlRun(
      server,
      ["modify-records", "--save", #"{"recordType":"Houses","recordName":"hut"}"#]
    )
    #expect(saved.exitCode == .success, "\(saved.err)")
    let folder = try TemporaryFolder()
    try "".write(toFile: folder.file("houses.jsonl"), atomically: true, encoding: .utf8)
    let lines = [
      "fetch-r", "records pu", "fetch-zones --outp", "fetch-zones -o js", "import hou",
      "fetch-zones ne", "fetch-records h", "records get h",
    ]
    let script = folder.file("script")
    try ((Self.scripts[shell] ?? "") + "\n" + lines.map { "try \($0)\n" }.joined())
      .write(toFile: script, atomically: true, encoding: .utf8)
    let environment = [
      "RPCCTL": try rpcctlPath(), "RPCCTL_ENDPOINT": server.rpcEndpoint, "RPCCTL_AS": "ada",
      "RPCCTL_COMPLETION_TIMEOUT": "10m", "HOME": folder.path, "PATH": Executable.searchPath,
      "XDG_CONFIG_HOME": folder.path, "LC_ALL": "C.UTF-8",
    ]
    let flags = ["bash": ["--norc"], "zsh": ["-f"], "fish": ["-N"]][shell] ?? []
    let text = try await run(shellPath, flags + [script], environment, in: folder.path)
    let answers = text.components(separatedBy: "---\n").dropLast()
      .map { Set($0.split(separator: "\n").map(String.init)) }
    let expected: [Set<String>] = [
      ["fetch-records"], ["put"], ["--output"], ["json", "jsonl"], ["houses.jsonl"], ["news"],
      ["hut"], ["hut"],
    ]
    for (line, (answer, wanted)) in zip(lines, zip(answers, expected)) {
      #expect(answer == wanted, "\(shell): \(line)")
    }
    #expect(answers.count == expected.count, "\(text)")
  }

  /// Runs a program to its end; returns its output.
  private func run(
    _ path: String,
    _ arguments: [String],
    _ environment: [String: String],
    in folder: String
  ) async throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = environment
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    return await withCheckedContinuation { continuation in
      DispatchQueue(label: "shell").async {
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        continuation.resume(returning: String(decoding: data, as: UTF8.self))
      }
    }
  }

  /// What was built beside these tests.
  private func rpcctlPath() throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let candidates = [
      beside.appendingPathComponent("rpcctl").path,
      root.appendingPathComponent(".build/release/rpcctl").path,
    ]
    return try #require(candidates.first(where: FileManager.default.isExecutableFile))
  }
}
