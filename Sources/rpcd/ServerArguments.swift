import CommandLineTools
import TidingsService

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What rpcd's command line, its environment and its configuration file say.
enum ServerArguments {
  static let environmentPrefix = "RPCD"

  private static let defaults = ServerSettings()

  private static let options = [
    Option(
      "rpc",
      value: "ENDPOINT",
      default: defaults.rpcEndpoint,
      "The endpoint for calls: tcp://HOST:PORT (port 0 selects a free one) or ipc://PATH."
    ),
    Option(
      "push",
      value: "ENDPOINT",
      default: defaults.pushEndpoint,
      "The endpoint for pushes."
    ),
    Option(
      "advertise-push",
      value: "ENDPOINT",
      "The push endpoint that clients get, if there is a proxy (default: that of --push)."
    ),
    Option("data", value: "FOLDER", default: defaults.dataPath, "The data folder."),
    Option(
      "server-key-file",
      value: "FILE",
      "The server's key pair (default: the credential tidings.server.key of the service, or server.key "
        + "in the data folder, which `rpcd init` creates)."
    ),
    Option(
      "next-server-key-file",
      value: "FILE",
      "The next key pair of the server, served in addition at --next-rpc and --next-push."
    ),
    Option(
      "next-rpc",
      value: "ENDPOINT",
      "The endpoint for calls of clients with the next key: tcp://HOST:PORT."
    ),
    Option(
      "next-push",
      value: "ENDPOINT",
      "The endpoint for pushes to clients with the next key."
    ),
    Option(
      "next-advertise-push",
      value: "ENDPOINT",
      "Like --advertise-push, for clients with the next key."
    ),
    Option(
      flag: "development",
      "Turn authentication off, even if there is a server key; local endpoints only."
    ),
    Option(
      flag: "core-dumps",
      "Allow core dumps, which contain the server's key."
    ),
    Option(
      "log-level",
      value: "LEVEL",
      default: defaults.logLevel.rawValue,
      choices: Logger.Level.allCases.map(\.rawValue),
      "The level of messages on standard error."
    ),
    Option(
      "audit-syslog",
      value: "SOCKET",
      "Also send each line of the audit log to this socket of syslog or the journal, for example /dev/log."
    ),
    Option(
      "config",
      value: "FILE",
      "Options as lines `name = value`; the environment and the command line take precedence."
    ),
    LimitArguments.option,
    Option(
      flag: "unsealed-pushes",
      "Publish notifications unencrypted, for clients that cannot open sealed ones."
    ),
    Option(
      flag: "reload-always",
      "For debugging, slow: reload all in-memory state from the store before each transaction."
    ),
    Option(flag: "limits", "Show the limits in force."),
    Option(flag: "verify", "Check the whole database before starting, regardless of its size."),
    Option(flag: "help", letter: "h", "Show this."),
    Option(flag: "version", "Show the version."),
  ]

  static let command = Command(
    "rpcd",
    "rpcd: the Tidings server.",
    options: options,
    discussion: """
      `rpcd init` creates a data folder with keys, for authentication; see `rpcd init --help`.
      `rpcd accept-loss` continues with a store that lost data; see `rpcd accept-loss --help`.
      Prints one line when it is ready: rpcd ready rpc=ENDPOINT push=ENDPOINT
            Stops cleanly on SIGINT and SIGTERM; a second signal ends it immediately.
      """
  )

  /// The settings; `nil` when all that was wanted has been printed.
  static func settings(_ arguments: ArraySlice<String>) throws -> ServerSettings? {
    let environment = Self.environment()
    var parsed = try ParsedArguments(
      Array(arguments),
      options: options,
      environment: environment,
      prefix: environmentPrefix
    )
    if parsed.has("help") {
      print(
        Help(program: "rpcd", command: command, options: [], prefix: environmentPrefix),
        terminator: ""
      )
      return nil
    }
    if parsed.has("version") {
      print("rpcd \(TidingsServer.version)")
      return nil
    }
    if let path = parsed["config"] {
      parsed = try ParsedArguments(
        Array(arguments),
        options: options,
        environment: environment,
        prefix: environmentPrefix,
        settings: try ConfigurationFile.read(path, allowing: options.map(\.name))
      )
    }
    guard parsed.operands.isEmpty else {
      throw UsageError("rpcd takes no operands, and got '\(parsed.operands[0])'")
    }
    var settings = ServerSettings()
    settings.rpcEndpoint = try endpoint("rpc", parsed) ?? settings.rpcEndpoint
    settings.pushEndpoint = try endpoint("push", parsed) ?? settings.pushEndpoint
    settings.advertisedPushEndpoint = try reachable("advertise-push", parsed)
    settings.nextKey = try nextKey(parsed)
    settings.dataPath = parsed["data"] ?? settings.dataPath
    settings.serverKeyPath = parsed["server-key-file"]
    if settings.serverKeyPath != nil, parsed.has("development") {
      throw UsageError("\(parsed.source("server-key-file")) and --development cannot be combined")
    }
    settings.isDevelopment = parsed.has("development")
    if settings.serverKeyPath == nil, !settings.isDevelopment, let path = credentialPath {
      (settings.serverKeyPath, settings.isServerKeyGuarded) = (path, true)
    }
    settings.allowsCoreDumps = parsed.has("core-dumps")
    settings.logLevel = parsed["log-level"].flatMap(Logger.Level.init) ?? settings.logLevel
    if let path = parsed["audit-syslog"] {
      guard path.hasPrefix("/"), path.utf8.count <= ServerSettings.socketPathBytesMax else {
        throw UsageError(
          "\(parsed.source("audit-syslog")) takes the path of a socket, from / on and of at most "
            + "\(ServerSettings.socketPathBytesMax) bytes, not '\(path)'"
        )
      }
      settings.auditSyslogPath = path
    }
    settings.reloadsAlways = parsed.has("reload-always")
    settings.sealsPushes = !parsed.has("unsealed-pushes")
    settings.checksThoroughly = parsed.has("verify")
    try LimitArguments.apply(
      parsed.all(LimitArguments.option.name),
      from: parsed.source(LimitArguments.option.name),
      to: &settings.limits
    )
    if parsed.has("limits") {
      print(LimitArguments.table(settings.limits), terminator: "")
      return nil
    }
    return settings
  }

  /// The key that is to replace the server's, with its endpoints.
  private static func nextKey(_ parsed: ParsedArguments) throws(UsageError) -> NextServerKey? {
    let names = ["next-server-key-file", "next-rpc", "next-push"]
    let given = names.filter { parsed[$0] != nil }
    guard !given.isEmpty || parsed["next-advertise-push"] != nil else { return nil }
    guard let path = parsed["next-server-key-file"], let rpc = try endpoint("next-rpc", parsed),
      let push = try endpoint("next-push", parsed)
    else {
      let missing = names.filter { parsed[$0] == nil }.map { "--\($0)" }
      throw UsageError("a next server key needs \(missing.joined(separator: " and ")) too")
    }
    guard rpc.hasPrefix("tcp://"), push.hasPrefix("tcp://") else {
      throw UsageError("--next-rpc and --next-push take tcp://HOST:PORT")
    }
    if parsed.has("development") {
      throw UsageError("--next-server-key-file and --development cannot be combined")
    }
    return NextServerKey(
      path: path,
      rpcEndpoint: rpc,
      pushEndpoint: push,
      advertisedPushEndpoint: try reachable("next-advertise-push", parsed)
    )
  }

  /// Where a client can connect to; `nil`: it is not said.
  private static func reachable(
    _ name: String,
    _ parsed: ParsedArguments
  ) throws(UsageError) -> String? {
    guard let endpoint = parsed[name] else { return nil }
    guard isReachable(endpoint) else {
      throw UsageError(
        "\(parsed.source(name)) takes what a client can connect to, tcp://HOST:PORT or ipc://PATH, not "
          + "'\(endpoint)'"
      )
    }
    return endpoint
  }

  /// Where to bind: libzmq would take a port that is too large for another one.
  private static func endpoint(
    _ name: String,
    _ parsed: ParsedArguments
  ) throws(UsageError) -> String? {
    guard let endpoint = parsed[name] else { return nil }
    if endpoint.hasPrefix("ipc://"), endpoint.count > "ipc://".count { return endpoint }
    let address = endpoint.dropFirst("tcp://".count)
    if endpoint.hasPrefix("tcp://"), let colon = address.lastIndex(of: ":"),
      !address[..<colon].isEmpty
    {
      let port = address[address.index(after: colon)...]
      if port == "*" || UInt16(port) != nil { return endpoint }
    }
    throw UsageError(
      "\(parsed.source(name)) takes tcp://HOST:PORT, the port from 0 to 65535, or ipc://PATH, not "
        + "'\(endpoint)'"
    )
  }

  /// It names one place: a client cannot connect to all addresses, or to any free port.
  private static func isReachable(_ endpoint: String) -> Bool {
    if endpoint.hasPrefix("ipc://") { return endpoint.count > "ipc://".count }
    let address = endpoint.dropFirst("tcp://".count)
    guard endpoint.hasPrefix("tcp://"), let colon = address.lastIndex(of: ":"),
      let port = UInt16(address[address.index(after: colon)...])
    else { return false }
    let host = address[..<colon]
    return port > 0 && !host.isEmpty && host != "*" && host != "0.0.0.0"
  }

  /// The name of the credential that holds the server's key pair.
  private static let credential = "tidings.server.key"

  /// The server's key pair as the supervisor passes it (systemd's `LoadCredential`); `nil`: it does not.
  private static var credentialPath: String? {
    guard let folder = getenv("CREDENTIALS_DIRECTORY") else { return nil }
    let path = String(cString: folder) + "/" + credential
    return access(path, F_OK) == 0 ? path : nil
  }

  private static func environment() -> [String: String] {
    var result: [String: String] = [:]
    for option in options {
      let name = option.variable(prefix: environmentPrefix)
      if let value = getenv(name) { result[name] = String(cString: value) }
    }
    return result
  }
}
