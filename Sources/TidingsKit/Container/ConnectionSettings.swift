internal import Foundation
internal import TidingsClient
internal import TidingsEncryption
internal import TidingsKeys
internal import TidingsProto

extension CKContainer {
  /// Where a container is, and who calls.
  ///
  /// `fromEnvironment` reads it from the variables named below; endpoints and keys that are not valid are
  /// reported by the first call.
  public struct Connection: Hashable, Sendable {
    /// The server's endpoint, or those of several nodes, which are tried in this order (`TIDINGS_ENDPOINT`, with
    /// commas between them).
    public var endpoints = ["tcp://127.0.0.1:5570"]
    /// The container's name (`TIDINGS_CONTAINER`); empty: `default`.
    public var container = ""
    /// Uses the production schema (`TIDINGS_ENVIRONMENT=production`).
    public var isProduction = false
    /// The user (`TIDINGS_USER`), where the server is in development mode.
    public var user = ""
    /// This installation (`TIDINGS_DEVICE`): it gets no notifications of its own changes.
    public var device = ""
    /// The file with this client's key pair (`TIDINGS_KEY_FILE`); empty: the server is in development mode.
    public var keyFile = ""
    /// The server's public key, Z85 (`TIDINGS_SERVER_KEY`).
    public var serverKey = ""
    /// The file with the user's keys for encrypted values (`TIDINGS_KEY_RING`); empty:
    /// `tidings/default.ring` in `dataHome`, which is made when a value is sealed first.
    public var keyRingFile = ""
    /// The span that calls are a part of which were made outside of `CKContainer.traceParent` (`TRACEPARENT`), as W3C's
    /// `traceparent` names it; empty: none.
    public var traceParent = ""
    /// The absolute path of the user's data folder; empty: `XDG_DATA_HOME`, or `~/.local/share`.
    public var dataHome = ""

    /// The defaults: the server of this machine, nobody in particular.
    public init() {}

    /// What the environment says.
    public static var fromEnvironment: Connection {
      let variables = ProcessInfo.processInfo.environment
      var connection = Connection()
      if let endpoints = variables["TIDINGS_ENDPOINT"] {
        connection.endpoints = ClientConfiguration.endpoints(in: endpoints)
      }
      connection.container = variables["TIDINGS_CONTAINER"] ?? ""
      connection.isProduction = variables["TIDINGS_ENVIRONMENT"] == "production"
      connection.user = variables["TIDINGS_USER"] ?? ""
      connection.device = variables["TIDINGS_DEVICE"] ?? ""
      connection.keyFile = variables["TIDINGS_KEY_FILE"] ?? ""
      connection.serverKey = variables["TIDINGS_SERVER_KEY"] ?? ""
      connection.keyRingFile = variables["TIDINGS_KEY_RING"] ?? ""
      connection.traceParent = variables["TRACEPARENT"] ?? ""
      return connection
    }

    /// Whether users prove who they are; otherwise the server is in development mode.
    var hasAccounts: Bool { !keyFile.isEmpty }

    /// As the client library wants it.
    func configuration() throws -> ClientConfiguration {
      var configuration = ClientConfiguration(endpoints: endpoints)
      configuration.container = container
      configuration.environment = isProduction ? .production : .development
      configuration.user = user
      configuration.device = device
      // Calls end sooner when their own time is shorter.
      configuration.connectTimeout = .seconds(20)
      configuration.continueTraces(otherwise: traceParent)
      guard !keyFile.isEmpty else { return configuration }
      guard let server = PublicKey(z85: serverKey) else {
        throw CKError(
          .notAuthenticated,
          "TIDINGS_SERVER_KEY is no public key: 40 characters of Z85"
        )
      }
      do {
        configuration.keys = ClientKeys(try KeyFile.pair(path: keyFile), server: server)
      } catch {
        throw CKError(.notAuthenticated, "the keys of the connection cannot be used: \(error)")
      }
      return configuration
    }
  }
}
