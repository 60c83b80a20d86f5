import CommandLineTools
import Testing
import TidingsClient
import TidingsProto
import TidingsProtobuf
import TidingsRPC

@testable import rpcctl

@Suite struct ProgramTests {
  @Test("without a verb and with --version nothing is connected")
  func noVerb() async {
    let help = await ProgramRun()
    #expect(help.out.hasPrefix("rpcctl: saves records") && help.exitCode == .success)
    let version = await ProgramRun("--version")
    #expect(version.out == "rpcctl \(Version.current)\n" && version.configuration == nil)
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

  @Test("no verb has an option or a letter that every verb has")
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

  @Test("the first word of verbs has a help that lists them")
  func groupHelp() async {
    let (a, b) = (await ProgramRun("help", "schema"), await ProgramRun("schema", "--help"))
    #expect(a.out == b.out && a.exitCode == .success && b.exitCode == .success)
    #expect(a.out.contains("schema deploy") && !a.out.contains("fetch-records"))
  }

  @Test(
    "wrong usage ends with 2 and says what would be right",
    arguments: [
      (["fetch-record"], "there is no verb 'fetch-record'; did you mean fetch-records?"),
      (["fetch-records"], "at least one NAME is needed"),
      (
        ["fetch-records", "a", "--desired-key", "x"],
        "unknown option '--desired-key'; did you mean --desired-keys?"
      ),
      (["--bogus", "fetch-records"], "unknown option '--bogus'"),
      (["--ass", "u", "fetch-zones"], "unknown option '--ass'; did you mean --as?"),
      (["--endpoin=x", "fetch-zones"], "unknown option '--endpoin=x'; did you mean --endpoint?"),
      (
        ["fetch-zones", "--endpoint", "localhost:5570"],
        "--endpoint takes tcp://HOST:PORT or ipc://PATH, not 'localhost:5570'"
      ),
      (["fetch-zones", "--endpoint=tcp://h:0"], "--endpoint takes tcp://HOST:PORT"),
      (["watch", "--since", "?"], "--since takes beginning, now, @FILE, or a changeToken"),
      (["watch", "--state", ""], "--state is empty"),
      (["watch", "--exec="], "--exec is empty"),
      (
        ["fetch-notification-changes", "--token", ""],
        "--token takes a changeToken as it was printed, not ''; leave it out to begin"
      ),
      (
        ["fetch-zone-changes", "--token="], "--token takes a changeToken as it was printed, not ''"
      ),
      (["modify-badge"], "modify-badge takes one whole number"),
      (["modify-badge", "-1"], "modify-badge takes one whole number"),
      (["trace-notification"], "trace-notification takes one ID"),
      (["lease-notifications"], "--group NAME is needed"),
      (["settle-notifications", "--group", "g", "x"], "what becomes of the leases? One of --done"),
      (
        ["settle-notifications", "--group", "g", "--release", "--mark-read", "x"],
        "--mark-read goes with --done only"
      ),
      (["settle-notifications", "--group", "g", "--done"], "at least one LEASE is needed"),
      (["work", "--group", "g"], "--exec COMMAND is needed"),
      (["work", "--exec", "true"], "--group NAME is needed"),
      (["explain-subscriptions"], "which change? --record JSON, or --delete NAME"),
      (
        ["explain-subscriptions", "--delete", "a", "--save"], "--delete and --save are two changes"
      ),
      (
        ["explain-subscriptions", "--save", "--record", "{}", "--before", "{}"],
        "--save takes --record without --before"
      ),
      (
        ["modify-subscriptions", "--on", "create"],
        "--on needs --query TYPE, --zone-changes ZONE or"
      ),
      (
        ["modify-subscriptions", "--query", "T", "--database-changes"],
        "--query and --database-changes are two subscriptions"
      ),
      (
        ["modify-subscriptions", "--zone-changes", "z", "--where", "a = 1"],
        "--where is for --query: --zone-changes fires on all changes"
      ),
      (
        ["modify-subscriptions", "--query", "T", "--type", "U"],
        "--query TYPE names the record type already: leave out --type"
      ),
      (["query"], "which TYPE of record?"),
      (["query", "a", "b"], "a query has one TYPE, and got 'b' too"),
      (["query", "T", "--zone", "z", "--all-zones"], "--zone and --all-zones exclude each other"),
      (["query", "T", "--all", "--limit", "1"], "--limit and --all exclude each other"),
      (["query", "T", "--sort", "a,"], "--sort takes FIELD, -FIELD or distance("),
      (["query", "T", "--cursor", "AQ=="], "--cursor goes on with its query: leave out 'T'"),
      (
        ["modify-zones", "--save", ""], "--save takes the names of zones, and one of them is empty"
      ),
      (
        ["modify-zones", "--save", "a", "--delete", "b", ""],
        "--delete takes the names of zones, and one of them is empty"
      ),
      (
        ["query", "--cursor", "AQ==", "--sort", "a"],
        "--cursor goes on with its query: leave out --sort"
      ),
      (
        ["query", "T", "--where", "a = %@", "--arg", #"{"bytes":"*"}"#],
        "--arg 1.bytes: the string is not base64"
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
      (["modify-records"], "nothing to do: --save, --file and --delete say what"),
      (["modify-records", "--save", "{"], "--save '{' is not JSON"),
      (
        ["modify-records", "--save", "h.json"],
        "--save 'h.json' is not JSON: expected a value at line 1, column 1; for the content of "
          + "a file write @h.json"
      ),
      (["modify-records", "--save", "{}"], "records[0]: recordType is needed"),
      (["modify-records", "h1"], "'h1' is not expected here"),
      (["modify-subscriptions", "--where", "a = 1"], "--where needs --query TYPE"),
      (
        ["modify-subscriptions", "--query", "T", "--on", "save"],
        "--on takes create, update, delete, enter and leave, not 'save'"
      ),
      (["modify-subscriptions", "--query", "T", "--arg", "1"], "--arg needs --where PREDICATE"),
      (["fetch-notification-changes", "--token", "*"], "--token takes a changeToken"),
      (["fetch-notification-changes", "--limit", "0"], "--limit takes a whole number from 1"),
      (["watch", "--count", "x"], "--count takes a whole number from 1"),
      (["call"], "call takes SERVICE/METHOD"),
      (["describe", "a", "b"], "describe takes one symbol"),
      (["help", "wach"], "there is no verb 'wach'; did you mean watch?"),
    ]
  )
  func usage(arguments: [String], message: String) async {
    let run = await ProgramRun(list: arguments)
    #expect(run.exitCode == .usage)
    #expect(run.err.hasPrefix("rpcctl: \(message)"), "\(run.err)")
    #expect(run.out.isEmpty && run.configuration == nil)
  }

  @Test("a malformed value says where it comes from")
  func source() async {
    let run = await ProgramRun("fetch-zones", environment: ["RPCCTL_TIMEOUT": "soon"])
    #expect(run.err.hasPrefix("rpcctl: RPCCTL_TIMEOUT takes a time like"))
  }

  @Test("options stand before and after the verb, and in the environment")
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
    #expect(configuration.endpoint == "ipc:///x")
    #expect(configuration.user == "realty" && configuration.device == "laptop")
    #expect(configuration.timeout == .seconds(2) && configuration.environment == .production)
    let request = try TidingsV1.FetchRecordZonesRequest(
      decoding: try #require(run.calls.first).request
    )
    #expect(
      request.databaseID == .init(container: "default", environment: .production, scope: .public)
    )
  }

  @Test("general options stand before the verb, between its words and after it")
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

  @Test("an option of a verb does not stand before it")
  func optionsBeforeVerb() async throws {
    let run = await ProgramRun("--zone", "z", "fetch-records", "h1")
    #expect(run.exitCode == .usage && run.calls.isEmpty)
    #expect(run.err.contains("'--zone' is an option of a verb: write it after the verb"))
  }

  @Test(
    "an error looks as asked for, whatever else is wrong",
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

  @Test("options shows the general options, which the help of verbs leaves out")
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

  @Test("what a call does not find ends like an item that is not there")
  func notFound() async {
    let run = await ProgramRun("fetch-zones", "-o", "jsonl") { _ throws(RPCError) in
      throw RPCError(.notFound, "gone")
    }
    #expect(run.exitCode == .notFound)
    #expect(run.err.hasPrefix(#"{"code":4,"status":"NOT_FOUND","#))
  }

  @Test("a failed call ends with 64 + its status; asked for JSON, the error is an object")
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

  @Test("a file that cannot be read is a failure here, in JSON where that is asked for")
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
