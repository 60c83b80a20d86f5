public import TidingsEngine
public import TidingsLogging
public import TidingsPostgres
internal import TidingsTracing

/// How a server runs.
public struct ServerSettings: Sendable {
  /// Where calls go; port 0 picks a free port.
  public var rpcEndpoint = "tcp://127.0.0.1:5570"
  /// Where pushes come from.
  public var pushEndpoint = "tcp://127.0.0.1:5571"
  /// The push endpoint that clients get; `nil`: the bound one.
  public var advertisedPushEndpoint: String?
  /// Where other nodes of the same database call this one; `nil`: where it is bound.
  public var advertisedRpcEndpoint: String?
  /// The name of this node among those of the same database; `nil`: its endpoint.
  public var nodeName: String?
  /// The folder of the data.
  public var dataPath = "./tidings-data"
  /// The database: a file in that folder, beside which assets and the audit log are, or on a server, which has them too.
  public var database = DatabaseSetting.embedded
  /// A folder for the content of assets, with a database on a server; `nil`: it is in the database.
  public var assetsPath: String?
  /// The file of the server's key pair; `nil`: `server.key` in the data folder, if it is there.
  public var serverKeyPath: String?
  /// The supervisor keeps that file, in a folder that it guards.
  public var isServerKeyGuarded = false
  /// The file of the key pair that is to replace the server's, and where it is served beside that; `nil`: the
  /// key is not being replaced.
  public var nextKey: NextServerKey?
  /// Authentication is off, even if there are keys.
  public var isDevelopment = false
  /// Where there is a server key, a crash may write it to disk with all other memory.
  public var allowsCoreDumps = false
  /// How much is logged.
  public var logLevel = Logger.Level.info
  /// How lines of the log look.
  public var logFormat = Logger.Format.text
  /// Calls that take longer are logged as slow, in milliseconds; 0: none is.
  public var slowCallMilliseconds = 1_000
  /// Where spans go, as `TraceSettings` reads it from the environment; `nil`: nowhere.
  var traces: TraceSettings?
  /// Where monitoring systems ask for metrics and health, `HOST:PORT`; `nil`: nowhere.
  public var operatorAddress: String?
  /// The socket of syslog or the journal that takes copies of the audit log's lines; `nil`: none does.
  public var auditSyslogPath: String?
  /// Read every page of the database before starting.
  public var checksThoroughly = false
  /// Reload all in-memory state from the store before each transaction, for debugging.
  public var reloadsAlways = false
  /// Only subscribers can read pushes, whoever receives them.
  public var sealsPushes = true
  /// What calls may not exceed.
  public var limits = Limits()

  /// Longest path of a socket, in bytes.
  public static let socketPathBytesMax = AuditSyslog.pathBytesMax

  /// The defaults.
  public init() {}
}

extension ServerSettings {
  /// Takes from the environment where spans go: `OTEL_EXPORTER_OTLP_ENDPOINT` and the variables beside it.
  ///
  /// - Parameter warn: Called with what is wrong with one, which is ignored then.
  public mutating func readTraces(warn: (String) -> Void) {
    traces = TraceSettings(TraceSettings.environment, program: "rpcd", warn: warn)
  }
}

/// A key pair that is to replace the server's, and where it is served until then.
public struct NextServerKey: Sendable {
  /// The file of the pair.
  public var path: String
  /// Where calls go: `tcp://HOST:PORT`.
  public var rpcEndpoint: String
  /// Where pushes come from.
  public var pushEndpoint: String
  /// The push endpoint that clients get; `nil`: the bound one.
  public var advertisedPushEndpoint: String?

  /// A pair and its endpoints.
  public init(
    path: String,
    rpcEndpoint: String,
    pushEndpoint: String,
    advertisedPushEndpoint: String? = nil
  ) {
    (self.path, self.rpcEndpoint, self.pushEndpoint) = (path, rpcEndpoint, pushEndpoint)
    self.advertisedPushEndpoint = advertisedPushEndpoint
  }
}
