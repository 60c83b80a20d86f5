import CommandLineTools
import TestSupport
import Testing
import TidingsClient
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct ProgramTests {
  @Test("without a verb and with --version no connection is made")
  func noVerb() async {
    let help = await ProgramRun()
    #expect(help.out.hasPrefix("rpcctl is the command-line client") && help.exitCode == .success)
    let version = await ProgramRun("--version")
    #expect(version.out == "rpcctl \(Version.current)\n" && version.configuration == nil)
    for arguments in [["--version", "--verbose"], ["version", "--verbose"]] {
      let all = await ProgramRun(list: arguments)
      #expect(all.out.hasPrefix(version.out) && all.out.contains("\n  libzmq 4."))
    }
    let json = await ProgramRun("version", "-o", "jsonl")
    #expect(json.out.contains(#""libzmq":"4."#))
  }

  @Test("every verb has help, in two ways")
  func help() async {
    for verb in Verb.all {
      let name = verb.command.name
      let (a, b) = (await ProgramRun("help", name), await ProgramRun(name, "--help"))
      #expect(a.out == b.out && a.exitCode == .success)
      #expect(a.out.contains("Usage: rpcctl \(name) [options]"))
    }
  }

  @Test("no verb redefines a general option or its letter")
  func clashes() {
    let names = Set(Settings.options.map(\.name))
    let letters = Set(Settings.options.compactMap(\.letter))
    for verb in Verb.all {
      for option in verb.command.options {
        #expect(!names.contains(option.name), "\(verb.command.name) --\(option.name)")
        #expect(
          option.letter.map(letters.contains) != true,
          "\(verb.command.name) --\(option.name)"
        )
      }
    }
  }

  @Test("the help of a group lists its verbs")
  func groupHelp() async {
    let (a, b) = (await ProgramRun("help", "schema"), await ProgramRun("schema", "--help"))
    #expect(a.out == b.out && a.exitCode == .success && b.exitCode == .success)
    #expect(a.out.contains("schema deploy") && !a.out.contains("fetch-records"))
  }

  @Test(
    "usage errors exit with 2 and a suggestion",
    arguments: [
      (["fetch-record"], "unknown verb 'fetch-record'; did you mean fetch-records?"),
      (["fetch-records"], "expected at least one NAME"),
      (
        ["fetch-records", "a", "--desired-key", "x"],
        "unknown option '--desired-key'; did you mean --desired-keys?"
      ),
      (["--bogus", "fetch-records"], "unknown option '--bogus'"),
      (["--ass", "u", "fetch-zones"], "unknown option '--ass'; did you mean --as?"),
      (["--endpoin=x", "fetch-zones"], "unknown option '--endpoin=x'; did you mean --endpoint?"),
      (
        ["fetch-zones", "--endpoint", "localhost:5570"],
        "invalid --endpoint 'localhost:5570': use tcp://HOST:PORT or ipc://PATH"
      ),
      (
        ["fetch-zones", "--endpoint=tcp://h:0"],
        "invalid --endpoint 'tcp://h:0': use tcp://HOST:PORT"
      ),
      (
        ["fetch-zones", "--endpoint=tcp://h:1,,tcp://h:2"],
        "invalid --endpoint 'tcp://h:1,,tcp://h:2': item 2 of the list of endpoints is blank"
      ),
      (
        ["fetch-zones", "--endpoint=tcp://h:1, tcp://h:1"],
        "invalid --endpoint 'tcp://h:1, tcp://h:1': 'tcp://h:1' is in the list of endpoints twice"
      ),
      (
        ["fetch-zones", "--endpoint=tcp://h:1,h:2"],
        "invalid --endpoint 'tcp://h:1,h:2': 'h:2' in the list of endpoints is malformed: use tcp://"
      ),
      (["fetch-zones", "--endpoint="], "--endpoint is empty: use --endpoint ENDPOINT"),
      (["web-tokens", "issue", "--api-token", ""], "--api-token is empty: use --api-token TOKEN"),
      (["fetch-zones", "--as="], "--as is empty"),
      (
        ["watch", "--since", "?"],
        "invalid --since '?': use beginning, now, @FILE, or a changeToken"
      ),
      (["watch", "--state", ""], "--state is empty"),
      (["watch", "--exec="], "--exec is empty"),
      (
        ["fetch-notification-changes", "--token", ""],
        "--token is empty"
      ),
      (
        ["fetch-zone-changes", "--token="], "--token is empty"
      ),
      (["modify-badge"], "expected one integer"),
      (["modify-badge", "-1"], "expected one integer"),
      (["trace-notification"], "expected one ID"),
      (["lease-notifications"], "no group: set --group NAME"),
      (["settle-notifications", "--group", "g", "x"], "no action: use --done"),
      (
        ["settle-notifications", "--group", "g", "--release", "--mark-read", "x"],
        "--mark-read requires --done"
      ),
      (["settle-notifications", "--group", "g", "--done"], "expected at least one LEASE"),
      (["work", "--group", "g"], "no command: set --exec COMMAND"),
      (["work", "--exec", "true"], "no group: set --group NAME"),
      (["explain-subscriptions"], "no change: use --record JSON or --delete NAME"),
      (
        ["explain-subscriptions", "--delete", "a", "--save"],
        "--delete and --save cannot be combined"
      ),
      (
        ["explain-subscriptions", "--save", "--record", "{}", "--before", "{}"],
        "--save requires --record, and cannot be combined with --before"
      ),
      (
        ["modify-subscriptions", "--on", "create"],
        "--on requires --query TYPE, --zone-changes ZONE or"
      ),
      (
        ["modify-subscriptions", "--query", "T", "--database-changes"],
        "--query and --database-changes cannot be combined"
      ),
      (
        ["modify-subscriptions", "--zone-changes", "z", "--where", "a = 1"],
        "--where requires --query: --zone-changes fires on all changes"
      ),
      (
        ["modify-subscriptions", "--query", "T", "--type", "U"],
        "--query and --type cannot be combined"
      ),
      (["query"], "expected the TYPE of the records"),
      (["query", "a", "b"], "expected one TYPE: unexpected operand 'b'"),
      (["query", "T", "--zone", "z", "--all-zones"], "--zone and --all-zones cannot be combined"),
      (["query", "T", "--all", "--limit", "1"], "--limit and --all cannot be combined"),
      (
        ["query", "T", "--sort", "a,"],
        "--sort takes a comma-separated list of FIELD, -FIELD or distance("
      ),
      (["query", "T", "--cursor", "AQ=="], "--cursor continues its query: omit 'T'"),
      (
        ["modify-zones", "--save", ""], "--save is empty"
      ),
      (
        ["modify-zones", "--save", "a", "--delete", "b", ""],
        "--delete is empty"
      ),
      (
        ["query", "--cursor", "AQ==", "--sort", "a"],
        "--cursor continues its query: omit --sort"
      ),
      (
        ["query", "T", "--where", "a = %@", "--arg", #"{"bytes":"*"}"#],
        "--arg 1.bytes: invalid base64"
      ),
      (
        ["query", "T", "--where", "a = %@", "--arg", #""Berlin"#],
        "--arg '\"Berlin' is not JSON: "
      ),
      (
        ["fetch-zones", "--database", "privat"],
        "--database takes public, private, shared, not 'privat'; did you mean private?"
      ),
      (["fetch-zones", "--timeout", "soon"], "--timeout takes a time like 500ms, 10s or 2m"),
      (["modify-records"], "nothing to do: use --save, --file or --delete"),
      (["modify-records", "--save", "{"], "--save '{' is not JSON"),
      (
        ["modify-records", "--save", "h.json"],
        "--save 'h.json' is not JSON: expected a value at line 1, column 1; to read a file, use @h.json"
      ),
      (["modify-records", "--save", "{}"], "records[0]: recordType is required"),
      (["modify-records", "h1"], "unexpected operand 'h1'"),
      (["modify-subscriptions", "--where", "a = 1"], "--where requires --query TYPE"),
      (
        ["modify-subscriptions", "--query", "T", "--on", "save"],
        "invalid --on 'save': use create, update, delete, enter or leave"
      ),
      (["modify-subscriptions", "--query", "T", "--arg", "1"], "--arg requires --where PREDICATE"),
      (
        ["fetch-notification-changes", "--token", "*"],
        "invalid --token '*': use a changeToken as printed"
      ),
      (["fetch-notification-changes", "--limit", "0"], "--limit takes a whole number from 1"),
      (["watch", "--count", "x"], "--count takes a whole number from 1"),
      (["call"], "expected SERVICE/METHOD"),
      (["describe", "a", "b"], "expected one symbol"),
      (["help", "wach"], "unknown verb 'wach'; did you mean watch?"),
    ]
  )
  func usage(arguments: [String], message: String) async {
    let run = await ProgramRun(list: arguments)
    #expect(run.exitCode == .usage)
    #expect(run.err.hasPrefix("rpcctl: \(message)"), "\(run.err)")
    #expect(run.out.isEmpty && run.configuration == nil)
  }

  @Test("the error for an invalid value names its source")
  func source() async {
    let run = await ProgramRun("fetch-zones", environment: ["RPCCTL_TIMEOUT": "soon"])
    #expect(run.err.hasPrefix("rpcctl: RPCCTL_TIMEOUT takes a time like"))
  }

  @Test("options are accepted before and after the verb, and in the environment")
  func options() async throws {
    let run = await ProgramRun(
      "--as",
      "realty",
      "-o",
      "json",
      "fetch-zones",
      "--device=laptop",
      "--timeout",
      "2s",
      "--environment",
      "production",
      environment: ["RPCCTL_ENDPOINT": "ipc:///x", "RPCCTL_DATABASE": "public"]
    )
    let configuration = try #require(run.configuration)
    #expect(configuration.endpoints == ["ipc:///x"])
    #expect(configuration.user == "realty" && configuration.device == "laptop")
    #expect(configuration.timeout == .seconds(2) && configuration.environment == .production)
    let request = try TidingsV1.FetchRecordZonesRequest(
      decoding: try #require(run.calls.first).request
    )
    #expect(
      request.databaseID == .init(container: "default", environment: .production, scope: .public)
    )
  }

  @Test("an endpoint may be a list, on the command line, in the environment and in contexts")
  func endpoints() async throws {
    let list = ["tcp://a:1", "ipc:///x"]
    let given = await ProgramRun("--endpoint", "tcp://a:1, ipc:///x", "fetch-zones")
    #expect(given.configuration?.endpoints == list)
    let variable = await ProgramRun(
      "fetch-zones",
      environment: ["RPCCTL_ENDPOINT": "tcp://a:1,ipc:///x"]
    )
    #expect(variable.configuration?.endpoints == list)
    let folder = try TemporaryFolder()
    let environment = ["XDG_CONFIG_HOME": folder.path]
    let added = await ProgramRun(
      "context",
      "add",
      "nodes",
      "--endpoint",
      "tcp://a:1,ipc:///x",
      environment: environment
    )
    #expect(added.exitCode == .success, "\(added.err)")
    let run = await ProgramRun("fetch-zones", environment: environment)
    #expect(run.configuration?.endpoints == list)
  }

  @Test("general options are accepted before the verb, between its words and after it")
  func generalOptionsAnywhere() async throws {
    let run = await ProgramRun(
      "-o",
      "json",
      "records",
      "--as=ada",
      "get",
      "h1",
      "--zone",
      "z",
      "-q"
    )
    let request = try TidingsV1.FetchRecordsRequest(decoding: try #require(run.calls.first).request)
    #expect(request.recordIDs == [.init(recordName: "h1", zoneID: .init(zoneName: "z"))])
    #expect(run.configuration?.user == "ada")
  }

  @Test("an option of a verb is rejected before the verb")
  func optionsBeforeVerb() async throws {
    let run = await ProgramRun("--zone", "z", "fetch-records", "h1")
    #expect(run.exitCode == .usage && run.calls.isEmpty)
    #expect(run.err.contains("'--zone' is an option of a verb: put it after the verb"))
  }

  @Test(
    "an error has the requested format, even for usage errors",
    arguments: [
      ["query", "--bogus", "-ojson"], ["-ojson", "qery"],
      ["query", "T", "--limit", "x", "-o=json"],
      ["query", "--sort", "-a", "--output", "json"],
    ]
  )
  func errorNotation(words: [String]) async throws {
    let run = await ProgramRun(list: words, format: .table)
    #expect(run.exitCode == .usage && run.err.hasPrefix("{\"code\":2,"), "\(run.err)")
  }

  @Test("options shows the general options, which the help of verbs omits")
  func generalOptions() async {
    let run = await ProgramRun("options")
    for option in Settings.options { #expect(run.out.contains("--\(option.name)")) }
    let help = await ProgramRun("query", "--help").out
    #expect(!help.contains("--endpoint") && help.contains("General options: `rpcctl options`."))
  }

  @Test("help shows nouns with their verbs first, and the operations' names last")
  func operations() async {
    let operations = Program.helpSections.last
    #expect(operations?.title == "Operations")
    let names = operations?.commands.map(\.name) ?? []
    for name in ["modify-records", "modify-zones", "modify-subscriptions", "fetch-records"] {
      #expect(names.contains(name))
    }
    #expect(names.allSatisfy { $0.contains("-") && !$0.contains(" ") })
    for section in Program.helpSections.dropLast() {
      #expect(Set(names).isDisjoint(with: section.commands.map(\.name)), "\(section.title)")
    }
    for name in names {
      let noun = try? Verb.named(name).command.name
      #expect(await ProgramRun("help", name).out.contains("rpcctl \(noun ?? "") [options]"))
    }
  }

  @Test("NOT_FOUND of a call has the exit code of a missing item")
  func notFound() async {
    let run = await ProgramRun("fetch-zones", "-o", "jsonl") { _ throws(RPCError) in
      throw RPCError(.notFound, "gone")
    }
    #expect(run.exitCode == .notFound)
    #expect(run.err.hasPrefix(#"{"code":4,"status":"NOT_FOUND","#))
  }

  @Test("a failed call exits with 64 + its status; with -o json the error is an object")
  func failedCall() async {
    let error = RPCError(.aborted, "gone", details: [.errorInfo(reason: "WHY")])
    let text = await ProgramRun("fetch-zones") { _ throws(RPCError) in throw error }
    #expect(text.exitCode.rawValue == 74)
    #expect(text.err.hasPrefix("rpcctl: ABORTED: gone\n"))
    let json = await ProgramRun("fetch-zones", "-o", "jsonl") { _ throws(RPCError) in throw error }
    #expect(
      json.err
        == #"{"code":74,"status":"ABORTED","reason":"WHY","message":"gone","details":[{"@type":"type.googleapis.com/tidings.rpc.v1.ErrorInfo","reason":"WHY","domain":"tidings.rpc"}]}"#
        + "\n"
    )
    #expect(json.out.isEmpty)
  }

  @Test("a file that cannot be read is a local failure, in JSON on request")
  func localFailure() async {
    let run = await ProgramRun("modify-records", "--save", "@none", "--output=json")
    #expect(run.exitCode == .localFailure)
    #expect(
      run.err
        == #"{"code":1,"status":"LOCAL_FAILURE","reason":"LOCAL_FAILURE","message":"cannot read 'none'"}"#
        + "\n"
    )
  }
}
