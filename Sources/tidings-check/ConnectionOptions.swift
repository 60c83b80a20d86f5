internal import CommandLineTools
internal import TidingsClient
internal import TidingsKeys
internal import TidingsProto

/// The options of the connections, as those of rpcctl.
enum ConnectionOptions {
  static let endpoint = OptionKey<String>(
    "endpoint",
    value: "ENDPOINT",
    default: "tcp://127.0.0.1:5570",
    "the server's RPC endpoint, or those of several nodes, with commas"
  )
  static let keyFile = OptionKey<String?>(
    "key-file",
    value: "FILE",
    completion: .files,
    "the user's key pair, from 'rpcctl keys generate'"
  )
  static let serverKey = OptionKey<String?>(
    "server-key",
    value: "KEY|FILE",
    completion: .files,
    "the server's public key, or its file"
  )
  static let user = OptionKey<String?>(
    "as",
    value: "USER",
    "the user, of a server in development mode"
  )
  static let container = OptionKey<String>(
    "container",
    value: "NAME",
    default: "default",
    "the container"
  )
  static let timeout = OptionKey<Duration>(
    time: "timeout",
    default: "5s",
    "how long a call may take; what takes longer has an unknown outcome"
  )

  static let all = [Option](of: endpoint, keyFile, serverKey, user, container, timeout)

  /// The configuration of a client.
  static func configuration(_ parsed: ParsedArguments) throws -> ClientConfiguration {
    let endpoints = ClientConfiguration.endpoints(in: parsed[endpoint])
    let isWrong = endpoints.contains { !$0.hasPrefix("tcp://") && !$0.hasPrefix("ipc://") }
    let form = isWrong ? "use tcp://HOST:PORT or ipc://PATH" : nil
    if let problem = form ?? ClientConfiguration.problem(in: endpoints) {
      throw UsageError("invalid \(parsed.source(endpoint)) '\(parsed[endpoint])': \(problem)")
    }
    var configuration = ClientConfiguration(endpoints: endpoints)
    configuration.container = parsed[container]
    configuration.timeout = parsed[timeout]
    configuration.keys = try keys(parsed)
    if configuration.keys == nil { configuration.user = parsed[user] ?? "checker" }
    return configuration
  }

  private static func keys(_ parsed: ParsedArguments) throws -> ClientKeys? {
    guard let file = parsed[keyFile] else { return nil }
    guard let server = parsed[serverKey] else {
      throw UsageError("\(parsed.source(keyFile)) requires --server-key: the server's public key")
    }
    guard parsed[user] == nil else {
      throw UsageError(
        "\(parsed.source(user)) and \(parsed.source(keyFile)) cannot be combined: the key identifies "
          + "the user"
      )
    }
    return try ClientKeys(file: file, server: server)
  }
}
