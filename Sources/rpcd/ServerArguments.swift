import CommandLineTools
import Glibc
import TidingsLogging
import TidingsService

/// What rpcd's command line, its environment and its configuration file say.
enum ServerArguments {
  private static let defaults = ServerSettings()

  private static let rpc = OptionKey<String>(
    "rpc",
    value: "ENDPOINT",
    default: defaults.rpcEndpoint,
    "The endpoint for calls: tcp://HOST:PORT (port 0 selects a free one) or ipc://PATH."
  )
  private static let push = OptionKey<String>(
    "push",
    value: "ENDPOINT",
    default: defaults.pushEndpoint,
    "The endpoint for pushes."
  )
  private static let advertisePush = OptionKey<String?>(
    "advertise-push",
    value: "ENDPOINT",
    "The push endpoint that clients get, if there is a proxy (default: that of --push)."
  )
  private static let advertiseRpc = OptionKey<String?>(
    "advertise-rpc",
    value: "ENDPOINT",
    "With a PostgreSQL database: the endpoint at which other nodes reach this one (default: that of --rpc)."
  )
  private static let nodeName = OptionKey<String?>(
    "node-name",
    value: "NAME",
    "With a PostgreSQL database: the name of this node among those of the database (default: its endpoint)."
  )
  private static let data = OptionKey<String>(
    "data",
    value: "FOLDER",
    default: defaults.dataPath,
    "The data folder."
  )
  private static let assets = OptionKey<String?>(
    "assets",
    value: "FOLDER",
    "With a PostgreSQL database: keep the content of assets as files in this folder, such as a shared mount, not in "
      + "the database."
  )
  private static let serverKeyFile = OptionKey<String?>(
    "server-key-file",
    value: "FILE",
    "The server's key pair (default: the credential tidings.server.key of the service, or server.key "
      + "in the data folder, which `rpcd init` creates)."
  )
  private static let nextServerKeyFile = OptionKey<String?>(
    "next-server-key-file",
    value: "FILE",
    "The next key pair of the server, served in addition at --next-rpc and --next-push."
  )
  private static let nextRpc = OptionKey<String?>(
    "next-rpc",
    value: "ENDPOINT",
    "The endpoint for calls of clients with the next key: tcp://HOST:PORT."
  )
  private static let nextPush = OptionKey<String?>(
    "next-push",
    value: "ENDPOINT",
    "The endpoint for pushes to clients with the next key."
  )
  private static let nextAdvertisePush = OptionKey<String?>(
    "next-advertise-push",
    value: "ENDPOINT",
    "Like --advertise-push, for clients with the next key."
  )
  private static let development = OptionKey<Bool>(
    flag: "development",
    "Turn authentication off, even if there is a server key; local endpoints only."
  )
  private static let coreDumps = OptionKey<Bool>(
    flag: "core-dumps",
    "Allow core dumps, which contain the server's key."
  )
  private static let logLevel = OptionKey<Logger.Level>(
    "log-level",
    value: "LEVEL",
    default: defaults.logLevel,
    "The level of messages on standard error."
  )
  private static let logFormat = OptionKey<Logger.Format>(
    "log-format",
    value: "FORMAT",
    default: defaults.logFormat,
    "The format of messages on standard error."
  )
  private static let slowCallThreshold = OptionKey<String>(
    "slow-call-threshold",
    value: "TIME",
    default: "1s",
    "Log calls that take longer, with what they touched, for example 200ms; off: none."
  )
  private static let operatorEndpoint = OptionKey<String?>(
    "operator-endpoint",
    value: "HOST:PORT",
    "Answer /metrics, /livez and /readyz over HTTP here (PORT alone: on 127.0.0.1; port 0 selects a free one)."
  )
  private static let auditSyslog = OptionKey<String?>(
    "audit-syslog",
    value: "SOCKET",
    "Also send each line of the audit log to this socket of syslog or the journal, for example /dev/log."
  )
  private static let unsealedPushes = OptionKey<Bool>(
    flag: "unsealed-pushes",
    "Publish notifications unencrypted, for clients that cannot open sealed ones."
  )
  private static let reloadAlways = OptionKey<Bool>(
    flag: "reload-always",
    "For debugging, slow: reload all in-memory state from the store before each transaction."
  )
  private static let limits = OptionKey<Bool>(flag: "limits", "Show the limits in force.")
  private static let verify = OptionKey<Bool>(
    flag: "verify",
    "Check the whole database before starting, regardless of its size."
  )

  private static let options = [Option](
    of: rpc,
    push,
    advertiseRpc,
    advertisePush,
    nodeName,
    data,
    DatabaseArgument.file,
    assets,
    serverKeyFile,
    nextServerKeyFile,
    nextRpc,
    nextPush,
    nextAdvertisePush,
    development,
    coreDumps,
    logLevel,
    logFormat,
    slowCallThreshold,
    operatorEndpoint,
    auditSyslog,
    LimitArguments.option,
    unsealedPushes,
    reloadAlways,
    limits,
    verify
  )

  static let program = ServiceProgram(
    "rpcd",
    "rpcd: the Tidings server.",
    environmentPrefix: "RPCD",
    options: options,
    discussion: """
      `rpcd init` creates a data folder with keys, for authentication; see `rpcd init --help`.
      `rpcd restore` makes a store of a backup; see `rpcd restore --help`.
      `rpcd restored` is for a database that PostgreSQL's tools restored; see `rpcd restored --help`.
      `rpcd rotate-secret` gives a store a new identity; see `rpcd rotate-secret --help`.
      `rpcd compact` rewrites a store without its free pages; see `rpcd compact --help`.
      `rpcd copy-store` moves a store to PostgreSQL or back; see `rpcd copy-store --help`.
      `rpcd accept-loss` continues with a store that lost data; see `rpcd accept-loss --help`.
      Prints one line when it is ready: rpcd ready rpc=ENDPOINT push=ENDPOINT
      Stops cleanly on SIGINT and SIGTERM; a second signal ends it immediately.
      """
  )

  /// The settings; `nil` when all that was wanted has been printed.
  static func settings(_ arguments: ArraySlice<String>) throws -> ServerSettings? {
    guard let parsed = try program.parse(arguments, version: .rpcd) else { return nil }
    var settings = ServerSettings()
    settings.rpcEndpoint = try endpoint(rpc, parsed) ?? settings.rpcEndpoint
    settings.pushEndpoint = try endpoint(push, parsed) ?? settings.pushEndpoint
    settings.advertisedPushEndpoint = try reachable(advertisePush, parsed)
    settings.advertisedRpcEndpoint = try reachable(advertiseRpc, parsed)
    settings.nodeName = parsed[nodeName]
    settings.nextKey = try nextKey(parsed)
    settings.dataPath = parsed[data]
    settings.database = try DatabaseArgument.setting(parsed)
    settings.assetsPath = parsed[assets]
    settings.serverKeyPath = parsed[serverKeyFile]
    if settings.serverKeyPath != nil, parsed[development] {
      throw UsageError("\(parsed.source(serverKeyFile)) and --development cannot be combined")
    }
    settings.isDevelopment = parsed[development]
    if settings.serverKeyPath == nil, !settings.isDevelopment, let path = credentialPath {
      (settings.serverKeyPath, settings.isServerKeyGuarded) = (path, true)
    }
    settings.allowsCoreDumps = parsed[coreDumps]
    settings.logLevel = parsed[logLevel]
    settings.logFormat = parsed[logFormat]
    settings.slowCallMilliseconds = try slowCallMilliseconds(parsed)
    settings.operatorAddress = try operatorAddress(parsed)
    if let path = parsed[auditSyslog] {
      guard path.hasPrefix("/"), path.utf8.count <= ServerSettings.socketPathBytesMax else {
        throw UsageError(
          "\(parsed.source(auditSyslog)) takes the path of a socket, from / on and of at most "
            + "\(ServerSettings.socketPathBytesMax) bytes, not '\(path)'"
        )
      }
      settings.auditSyslogPath = path
    }
    settings.reloadsAlways = parsed[reloadAlways]
    settings.sealsPushes = !parsed[unsealedPushes]
    settings.checksThoroughly = parsed[verify]
    try LimitArguments.apply(
      parsed[LimitArguments.option],
      from: parsed.source(LimitArguments.option),
      to: &settings.limits
    )
    if parsed[limits] {
      print(LimitArguments.table(settings.limits), terminator: "")
      return nil
    }
    return settings
  }

  /// Which calls are slow; 0: none is.
  private static func slowCallMilliseconds(_ parsed: ParsedArguments) throws(UsageError) -> Int {
    let text = parsed[slowCallThreshold]
    if text == "off" { return 0 }
    guard let time = Duration(commandLine: text) else {
      throw UsageError(
        "\(parsed.source(slowCallThreshold)) takes a time, for example 200ms or 1s, or off, not '\(text)'"
      )
    }
    return Int(min(time / .milliseconds(1), Double(Int32.max)).rounded(.up))
  }

  /// Where metrics are answered: only this machine can ask, unless another address is given.
  private static func operatorAddress(_ parsed: ParsedArguments) throws(UsageError) -> String? {
    guard let text = parsed[operatorEndpoint] else { return nil }
    let address = UInt16(text) == nil ? text : "127.0.0.1:\(text)"
    guard let colon = address.lastIndex(of: ":"), colon != address.startIndex,
      UInt16(address[address.index(after: colon)...]) != nil
    else {
      throw UsageError(
        "\(parsed.source(operatorEndpoint)) takes HOST:PORT or PORT, the port from 0 to 65535, not '\(text)'"
      )
    }
    return address
  }

  /// The key that is to replace the server's, with its endpoints.
  private static func nextKey(_ parsed: ParsedArguments) throws(UsageError) -> NextServerKey? {
    let keys = [nextServerKeyFile, nextRpc, nextPush]
    guard (keys + [nextAdvertisePush]).contains(where: { parsed[$0] != nil }) else { return nil }
    guard let path = parsed[nextServerKeyFile], let rpc = try endpoint(nextRpc, parsed),
      let push = try endpoint(nextPush, parsed)
    else {
      let missing = keys.filter { parsed[$0] == nil }.map(\.spelling)
      throw UsageError("a next server key needs \(missing.joined(separator: " and ")) too")
    }
    guard rpc.hasPrefix("tcp://"), push.hasPrefix("tcp://") else {
      throw UsageError("--next-rpc and --next-push take tcp://HOST:PORT")
    }
    if parsed[development] {
      throw UsageError("--next-server-key-file and --development cannot be combined")
    }
    return NextServerKey(
      path: path,
      rpcEndpoint: rpc,
      pushEndpoint: push,
      advertisedPushEndpoint: try reachable(nextAdvertisePush, parsed)
    )
  }

  /// Where a client can connect to; `nil`: it is not said.
  private static func reachable(
    _ key: OptionKey<String?>,
    _ parsed: ParsedArguments
  ) throws(UsageError) -> String? {
    guard let endpoint = parsed[key] else { return nil }
    guard isReachable(endpoint) else {
      throw UsageError(
        "\(parsed.source(key)) takes what a client can connect to, tcp://HOST:PORT or ipc://PATH, not "
          + "'\(endpoint)'"
      )
    }
    return endpoint
  }

  /// Where to bind: libzmq would take a port that is too large for another one.
  private static func endpoint<Value>(
    _ key: OptionKey<Value>,
    _ parsed: ParsedArguments
  ) throws(UsageError) -> String? {
    guard let endpoint = parsed.text(of: key.option) else { return nil }
    if endpoint.hasPrefix("ipc://"), endpoint.count > "ipc://".count { return endpoint }
    let address = endpoint.dropFirst("tcp://".count)
    if endpoint.hasPrefix("tcp://"), let colon = address.lastIndex(of: ":"),
      !address[..<colon].isEmpty
    {
      let port = address[address.index(after: colon)...]
      if port == "*" || UInt16(port) != nil { return endpoint }
    }
    throw UsageError(
      "\(parsed.source(key)) takes tcp://HOST:PORT, the port from 0 to 65535, or ipc://PATH, not "
        + "'\(endpoint)'"
    )
  }

  /// It names one place: a client cannot connect to all addresses, or to any free port.
  static func isReachable(_ endpoint: String) -> Bool {
    if endpoint.hasPrefix("ipc://") { return endpoint.count > "ipc://".count }
    let address = endpoint.dropFirst("tcp://".count)
    guard endpoint.hasPrefix("tcp://"), let colon = address.lastIndex(of: ":"),
      let port = UInt16(address[address.index(after: colon)...])
    else { return false }
    let host = address[..<colon]
    return port > 0 && !host.isEmpty && !["*", "0.0.0.0", "[::]"].contains(host)
  }

  /// The name of the credential that holds the server's key pair.
  private static let credential = "tidings.server.key"

  /// The server's key pair as the supervisor passes it (systemd's `LoadCredential`); `nil`: it does not.
  private static var credentialPath: String? {
    guard let folder = getenv("CREDENTIALS_DIRECTORY") else { return nil }
    let path = String(cString: folder) + "/" + credential
    return access(path, F_OK) == 0 ? path : nil
  }
}
