import CommandLineTools
import Foundation
import TestSupport
import Testing
import TidingsClient
import TidingsRPC

@testable import rpcctl

@Suite struct ContextTests {
  private let folder: TemporaryFolder
  private let environment: [String: String]

  init() throws {
    folder = try TemporaryFolder()
    environment = ["XDG_CONFIG_HOME": folder.path]
  }

  private func run(_ arguments: String...) async -> ProgramRun {
    await ProgramRun(list: arguments, environment: environment)
  }

  @Test("the first context becomes the current one, and provides defaults")
  func add() async throws {
    let added = await run(
      "context",
      "add",
      "home",
      "--endpoint",
      "tcp://h:1",
      "--as",
      "ada"
    )
    #expect(added.exitCode == .success, "\(added.err)")
    #expect(added.configuration == nil)
    let call = await run("fetch-zones")
    #expect(call.configuration?.endpoints == ["tcp://h:1"] && call.configuration?.user == "ada")
    let path = folder.path + "/tidings/contexts/home.conf"
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains("endpoint = tcp://h:1\nas = ada\n"))
    let ring = await run("context", "add", "ring", "--key-ring", "a.ring")
    let location = "\(FileManager.default.currentDirectoryPath)/a.ring"
    #expect(ring.out.contains(#""key-ring":"\#(location)""#), "\(ring.out)")
    #expect(await run("context", "current").out == #"{"name":"home"}"# + "\n")
  }

  @Test("the command line overrides the environment, the context and the defaults, in this order")
  func precedence() async throws {
    _ = await run("context", "add", "home", "--as", "ada", "--device", "d1", "--container", "c")
    let environment = environment.merging(["RPCCTL_AS": "bob", "RPCCTL_DEVICE": "d2"]) { $1 }
    let run = await ProgramRun("--as", "cyd", "fetch-zones", environment: environment)
    let configuration = try #require(run.configuration)
    #expect(configuration.user == "cyd" && configuration.device == "d2")
    #expect(configuration.container == "c" && configuration.endpoints == ["tcp://127.0.0.1:5570"])
    let without = await ProgramRun("--no-context", "fetch-zones", environment: self.environment)
    #expect(without.configuration?.user == "" && without.configuration?.container == "default")
  }

  @Test(
    "context use - selects the previous one, and --context and RPCCTL_CONTEXT apply to one command"
  )
  func use() async throws {
    for name in ["a", "b"] { _ = await run("context", "add", name, "--as", name) }
    #expect(await run("context", "use", "b").exitCode == .success)
    #expect(await run("fetch-zones").configuration?.user == "b")
    #expect(await run("context", "use", "-").exitCode == .success)
    #expect(await run("fetch-zones").configuration?.user == "a")
    #expect(await run("context", "use", "-").exitCode == .success)
    #expect(await run("-c", "a", "fetch-zones").configuration?.user == "a")
    let chosen = await ProgramRun(
      "fetch-zones",
      environment: environment.merging(["RPCCTL_CONTEXT": "a"]) { $1 }
    )
    #expect(chosen.configuration?.user == "a")
  }

  @Test("an unknown context gets a suggestion, and an error names file and line")
  func wrong() async throws {
    _ = await run("context", "add", "home")
    let unknown = await run("-c", "hme", "fetch-zones")
    #expect(unknown.exitCode == .notFound)
    #expect(unknown.err.contains("unknown context 'hme'; did you mean home?"))
    let path = folder.path + "/tidings/contexts/home.conf"
    try "endpoint = tcp://h:1\ncontaner = c\n".write(
      toFile: path,
      atomically: true,
      encoding: .utf8
    )
    let misspelt = await run("fetch-zones")
    #expect(misspelt.exitCode == .usage)
    #expect(
      misspelt.err.contains("home.conf, line 2: unknown name 'contaner'; did you mean container?")
    )
    try "timeout = soon\n".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(await run("fetch-zones").err.contains("home.conf, line 1: timeout takes a time like"))
    #expect(await run("context", "list").exitCode == .success)
    #expect(await run("context", "add", "../x").exitCode == .usage)
    #expect(await run("context", "add", "home").err.contains("context 'home' exists"))
  }

  @Test("contexts are copied and removed, and a removed one is not the current one")
  func remove() async throws {
    _ = await run("context", "add", "home", "--as", "ada", "--description", "at home")
    _ = await run("context", "copy", "home", "work")
    #expect(await run("context", "list", "-o", "name").out == "home\nwork\n")
    #expect(await run("context", "show", "work").out.contains(#""as":"ada""#))
    #expect(await run("context", "remove", "home", "--dry-run").exitCode == .success)
    #expect(await run("context", "remove", "home").exitCode == .success)
    #expect(await run("context", "list", "-o", "name").out == "work\n")
    #expect(await run("context", "current").exitCode == .notFound)
    #expect(await run("fetch-zones").configuration?.user == "")
  }

  @Test("an editor changes a context; an invalid text changes nothing")
  func edit() async throws {
    _ = await run("context", "add", "home", "--as", "ada")
    let path = folder.path + "/tidings/contexts/home.conf"
    func edit(_ editor: String, _ name: String...) async -> ExitCode {
      let variables = environment.merging(["VISUAL": editor]) { $1 }
      return await ProgramRun(list: ["context", "edit"] + name, environment: variables).exitCode
    }
    #expect(await edit("sed -i s/ada/bob/") == .success)
    #expect(await run("fetch-zones").configuration?.user == "bob")
    #expect(await edit("sed -i s/as/az/", "home") == .usage)
    // There is no terminal, and no editor is set.
    #expect(await run("context", "edit", "home").err.contains("no editor"))
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("as = bob"))
    // The invalid text is kept, and edited again.
    let draft = path + ".draft"
    #expect(try String(contentsOfFile: draft, encoding: .utf8).contains("az = bob"))
    #expect(await edit("sed -i s/az.*/as=eve/", "home") == .success)
    #expect(await run("fetch-zones").configuration?.user == "eve")
    #expect(!FileManager.default.fileExists(atPath: draft))
    // Without edits, nothing is kept.
    #expect(await edit("false", "home") == .commandFailed)
    #expect(!FileManager.default.fileExists(atPath: draft))
  }
}
