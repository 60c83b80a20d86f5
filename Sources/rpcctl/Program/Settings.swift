internal import CommandLineTools
internal import TidingsClient
internal import TidingsKeys
internal import TidingsProto

/// The values of the general options.
struct Settings: Sendable {
  static let environmentPrefix = "RPCCTL"

  var client: ClientConfiguration
  var scope: TidingsV1.DatabaseScope
  /// The owner of zones; empty: that of the database, or of each zone.
  let owner: String
  /// Why no connection is possible, for verbs that need one.
  let refusal: (any Error)?
  /// The file with the keys of encrypted fields, if any.
  let keyRingPath: String?

  init(_ arguments: ParsedArguments) throws(UsageError) {
    var client = ClientConfiguration(endpoints: try Self.endpoints(arguments))
    client.container = arguments[.container]
    client.environment =
      arguments[.environment] == "production" ? .production : .development
    client.user = arguments[.user] ?? ""
    client.device = arguments[.device] ?? ""
    client.timeout = arguments[.timeout]
    client.connectTimeout = arguments[.connectTimeout]
    client.retryCountMax = arguments[.retries] ?? client.retryCountMax
    do {
      client.keys = try Self.keys(arguments)
      refusal = nil
    } catch {
      refusal = error
    }
    self.client = client
    keyRingPath = arguments[.keyRing]
    scope =
      switch arguments[.database] {
      case "public": .public
      case "shared": .shared
      default: .private
      }
    owner = arguments[.owner] ?? ""
  }

  /// Returns the keys to connect with, if any.
  private static func keys(_ arguments: ParsedArguments) throws -> ClientKeys? {
    let (file, server) = (arguments[.keyFile], arguments[.serverKey])
    guard file != nil || server != nil else { return nil }
    guard let file else {
      throw UsageError(
        "\(arguments.source(.serverKey)) requires --key-file: the client's key pair"
      )
    }
    guard let server else {
      throw UsageError(
        "\(arguments.source(.keyFile)) requires --server-key: the server's public key, printed by `rpcd "
          + "init`"
      )
    }
    guard arguments[.user] == nil else {
      throw UsageError(
        "\(arguments.source(.user)) and \(arguments.source(.keyFile)) cannot be combined: the key "
          + "identifies the user"
      )
    }
    return ClientKeys(try KeyFile.pair(path: file), server: try serverKey(server))
  }

  private static func serverKey(_ text: String) throws -> PublicKey {
    if let key = PublicKey(z85: text) { return key }
    do {
      return try KeyFile(path: text).publicKey
    } catch {
      throw UsageError(
        "invalid --server-key: expected a public key (40 characters) or its file: \(error)"
      )
    }
  }

  /// Returns the endpoints, if they are well-formed.
  private static func endpoints(_ arguments: ParsedArguments) throws(UsageError) -> [String] {
    let text = arguments[.endpoint]
    let endpoints = ClientConfiguration.endpoints(in: text)
    if endpoints.count == 1 { return [try endpoint(endpoints[0], arguments)] }
    if let problem = ClientConfiguration.problem(in: endpoints) {
      throw UsageError("invalid \(arguments.source(.endpoint)) '\(text)': \(problem)")
    }
    return endpoints
  }

  private static func endpoint(
    _ text: String,
    _ arguments: ParsedArguments
  ) throws(UsageError) -> String {
    if text.hasPrefix("ipc://"), text.utf8.count > "ipc://".utf8.count { return text }
    if text.hasPrefix("tcp://"), let colon = text.lastIndex(of: ":") {
      let host = text[..<colon].dropFirst("tcp://".count)
      let port = UInt16(text[text.index(after: colon)...])
      if !host.isEmpty, let port, port > 0 { return text }
    }
    throw UsageError(
      "invalid \(arguments.source(.endpoint)) '\(text)': use tcp://HOST:PORT or ipc://PATH"
    )
  }

  /// The endpoints as in the option.
  var endpointsText: String { client.endpoints.joined(separator: ",") }
  var container: String { client.container }
  var environment: TidingsV1.Environment { client.environment }
  /// The time limit of a call.
  var timeout: Duration? { client.timeout }

  var databaseID: TidingsV1.DatabaseID {
    .init(container: client.container, environment: client.environment, scope: scope)
  }
}
