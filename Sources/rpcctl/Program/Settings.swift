internal import CommandLineTools
internal import TidingsClient
internal import TidingsKeys
internal import TidingsProto

/// What the options of every verb say.
struct Settings: Sendable {
  static let environmentPrefix = "RPCCTL"

  var client: ClientConfiguration
  var scope: TidingsV1.DatabaseScope
  /// Whose zones are meant; empty: those of the database, or as each one says.
  let owner: String
  /// Why nothing can be connected to, for verbs that would.
  let refusal: (any Error)?
  /// Where the keys of encrypted fields are; `nil`: there are none.
  let keyRingPath: String?

  init(_ arguments: ParsedArguments) throws(UsageError) {
    var client = ClientConfiguration(endpoint: try Self.endpoint(arguments))
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

  /// The keys to connect with, if any.
  private static func keys(_ arguments: ParsedArguments) throws -> ClientKeys? {
    let (file, server) = (arguments[.keyFile], arguments[.serverKey])
    guard file != nil || server != nil else { return nil }
    guard let file else {
      throw UsageError(
        "\(arguments.source(.serverKey)) needs --key-file too: the key pair to connect with"
      )
    }
    guard let server else {
      throw UsageError(
        "\(arguments.source(.keyFile)) needs --server-key too: the server's public key, which `rpcd "
          + "init` printed"
      )
    }
    guard arguments[.user] == nil else {
      throw UsageError(
        "\(arguments.source(.user)) and \(arguments.source(.keyFile)) exclude each other: the key "
          + "says who calls"
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
        "--server-key takes a public key (40 characters) or a file that has one: \(error)"
      )
    }
  }

  /// The endpoint, if it looks like one.
  private static func endpoint(_ arguments: ParsedArguments) throws(UsageError) -> String {
    let text = arguments[.endpoint]
    if text.hasPrefix("ipc://"), text.utf8.count > "ipc://".utf8.count { return text }
    if text.hasPrefix("tcp://"), let colon = text.lastIndex(of: ":") {
      let host = text[..<colon].dropFirst("tcp://".count)
      let port = UInt16(text[text.index(after: colon)...])
      if !host.isEmpty, let port, port > 0 { return text }
    }
    throw UsageError(
      "\(arguments.source(.endpoint)) takes tcp://HOST:PORT or ipc://PATH, not '\(text)'"
    )
  }

  var container: String { client.container }
  var environment: TidingsV1.Environment { client.environment }
  /// How long a call may take.
  var timeout: Duration? { client.timeout }

  var databaseID: TidingsV1.DatabaseID {
    .init(container: client.container, environment: client.environment, scope: scope)
  }
}
