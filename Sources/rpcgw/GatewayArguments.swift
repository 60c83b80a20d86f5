import CommandLineTools
import TidingsClient
import TidingsGateway
import TidingsHTTP
import TidingsKeys
import TidingsLogging
import TidingsRPC
import TidingsTracing

/// What rpcgw's command line, its environment and its configuration file say.
enum GatewayArguments {
  private static let defaults = GatewaySettings()

  private static let listen = OptionKey<String>(
    "listen",
    value: "HOST:PORT",
    default: defaults.http.address.description,
    "Where to take HTTP requests (port 0 selects a free one)."
  )
  private static let rpc = OptionKey<String>(
    "rpc",
    value: "ENDPOINTS",
    default: defaults.endpoints.joined(separator: ","),
    "The server's endpoints for calls, with commas between those of several nodes."
  )
  private static let keyFile = OptionKey<String?>(
    "key-file",
    value: "FILE",
    "The gateway's key pair, whose user has the role 'gateway'; without it the server must be in development mode."
  )
  private static let serverKey = OptionKey<String?>(
    "server-key",
    value: "KEY|FILE",
    "The server's public key, or its file."
  )
  private static let tlsCertificate = OptionKey<String?>(
    "tls-certificate",
    value: "FILE",
    "The certificate chain for HTTPS (PEM)."
  )
  private static let tlsKey = OptionKey<String?>(
    "tls-key",
    value: "FILE",
    "The private key of the certificate (PEM)."
  )
  private static let publicURL = OptionKey<String?>(
    "public-url",
    value: "URL",
    "The beginning of URLs in answers, behind a proxy (default: http, or https, and the request's Host)."
  )
  private static let connectionsMax = OptionKey<Int>(
    "connections-max",
    value: "COUNT",
    default: defaults.http.connectionsMax,
    in: 1...100_000,
    "Connections at a time; further ones are closed."
  )
  private static let connectionsPerAddressMax = OptionKey<Int>(
    "connections-per-address-max",
    value: "COUNT",
    default: defaults.http.connectionsPerAddressMax,
    in: 0...100_000,
    "Connections of one address at a time; 0: no limit, as behind a proxy, where all have its address."
  )
  private static let streamsPerUserMax = OptionKey<Int>(
    "streams-per-user-max",
    value: "COUNT",
    default: defaults.streamsPerUserMax,
    in: 1...10_000,
    "Event streams and courier polls of one user at a time."
  )
  private static let strictTransportSeconds = OptionKey<Int>(
    "strict-transport-seconds",
    value: "SECONDS",
    default: defaults.strictTransportSeconds,
    in: 0...63_072_000,
    "How long browsers use only HTTPS for this host (Strict-Transport-Security); 0: the header is not sent."
  )
  private static let threads = OptionKey<Int>(
    "threads",
    value: "COUNT",
    default: defaults.http.threadCount,
    in: 1...64,
    "Threads that read and write connections."
  )
  private static let trustedProxy = OptionKey<String?>(
    "trusted-proxy",
    value: "ADDRESSES",
    "Addresses of proxies, with commas between them, whose Forwarded or X-Forwarded-For header says who calls."
  )
  private static let operatorEndpoint = OptionKey<String?>(
    "operator-endpoint",
    value: "HOST:PORT",
    "Answer /metrics, /livez and /readyz over HTTP here (PORT alone: on 127.0.0.1; port 0 selects a free one)."
  )
  private static let logRequests = OptionKey<Bool>(
    flag: "log-requests",
    "Log each request, with the level 'info': its ID, the client's address, method, path without query, status and duration."
  )
  private static let logLevel = OptionKey<Logger.Level>(
    "log-level",
    value: "LEVEL",
    default: .info,
    "The level of messages on standard error; 'debug' logs each request."
  )
  private static let logFormat = OptionKey<Logger.Format>(
    "log-format",
    value: "FORMAT",
    default: .text,
    "The format of messages on standard error."
  )

  private static let options = [Option](
    of: listen,
    rpc,
    keyFile,
    serverKey,
    tlsCertificate,
    tlsKey,
    publicURL,
    connectionsMax,
    connectionsPerAddressMax,
    streamsPerUserMax,
    strictTransportSeconds,
    threads,
    trustedProxy,
    operatorEndpoint,
    logRequests,
    logLevel,
    logFormat
  )

  static let program = ServiceProgram(
    "rpcgw",
    "rpcgw: the web gateway of Tidings, which serves CloudKit Web Services.",
    environmentPrefix: "RPCGW",
    options: options,
    discussion: """
      It is a client of rpcd and keeps nothing: run as many as you like, and start and stop them at any time.
      Prints one line when it is ready: rpcgw ready URL
      Stops cleanly on SIGINT and SIGTERM; a second signal ends it immediately.
      """
  )

  /// The settings; `nil` when all that was wanted has been printed.
  static func settings(_ arguments: ArraySlice<String>) throws -> GatewaySettings? {
    guard let parsed = try program.parse(arguments, version: .rpcgw) else { return nil }
    var settings = GatewaySettings()
    guard let address = HTTPAddress(parsed[listen]) else {
      throw UsageError("\(parsed.source(listen)) takes HOST:PORT, not '\(parsed[listen])'")
    }
    settings.http.address = address
    settings.http.connectionsMax = parsed[connectionsMax]
    settings.http.connectionsPerAddressMax = parsed[connectionsPerAddressMax]
    settings.streamsPerUserMax = parsed[streamsPerUserMax]
    settings.http.threadCount = parsed[threads]
    settings.endpoints = ClientConfiguration.endpoints(in: parsed[rpc])
    if let problem = ClientConfiguration.problem(in: settings.endpoints) {
      throw UsageError("\(parsed.source(rpc)): \(problem)")
    }
    for endpoint in settings.endpoints
    where !endpoint.hasPrefix("tcp://") && !endpoint.hasPrefix("ipc://") {
      throw UsageError(
        "\(parsed.source(rpc)) takes tcp://HOST:PORT or ipc://PATH, not '\(endpoint)'"
      )
    }
    settings.keys = try keys(parsed)
    if settings.keys == nil, !address.isLoopback {
      throw UsageError(
        "without \(keyFile.spelling) everybody may call as anybody, so that \(parsed.source(listen)) must be an address "
          + "of this machine alone, for example 127.0.0.1:8080"
      )
    }
    settings.http.tls = try tls(parsed)
    settings.publicURL = try url(parsed)
    settings.strictTransportSeconds = parsed[strictTransportSeconds]
    guard settings.strictTransportSeconds == 0 || settings.isHTTPS else {
      throw UsageError(
        "\(parsed.source(strictTransportSeconds)) is for HTTPS, and clients come over HTTP: set \(tlsCertificate.spelling), or "
          + "\(publicURL.spelling) to an https URL"
      )
    }
    if let text = parsed[operatorEndpoint] {
      guard let address = HTTPAddress(UInt16(text) == nil ? text : "127.0.0.1:\(text)") else {
        throw UsageError(
          "\(parsed.source(operatorEndpoint)) takes HOST:PORT or PORT, not '\(text)'"
        )
      }
      settings.operatorAddress = address
    }
    let logger = Logger(level: parsed[logLevel], format: parsed[logFormat])
    settings.logger = logger
    settings.traces = TraceSettings(TraceSettings.environment, program: "rpcgw") {
      logger.log(.warning, $0)
    }
    settings.logsRequests = parsed[logRequests]
    let proxies = parsed[trustedProxy]?.split(separator: ",") ?? []
    settings.trustedProxies = Set(proxies.map { $0.filter { $0 != " " }.lowercased() })
    return settings
  }

  private static func keys(_ parsed: ParsedArguments) throws -> ClientKeys? {
    switch (parsed[keyFile], parsed[serverKey]) {
    case (nil, nil): return nil
    case (let file?, let server?): return try ClientKeys(file: file, server: server)
    default: throw UsageError("\(keyFile.spelling) and \(serverKey.spelling) need each other")
    }
  }

  private static func tls(
    _ parsed: ParsedArguments
  ) throws -> (certificate: String, key: String)? {
    switch (parsed[tlsCertificate], parsed[tlsKey]) {
    case (nil, nil): return nil
    case (let certificate?, let key?):
      return (try text(of: certificate), try text(of: key))
    default: throw UsageError("\(tlsCertificate.spelling) and \(tlsKey.spelling) need each other")
    }
  }

  private static func text(of path: String) throws(UsageError) -> String {
    let bytes = try OptionFile.bytes(
      of: path,
      as: "a PEM file",
      bytesMax: 1 << 20,
      takesPipes: true
    )
    guard !bytes.isEmpty else { throw UsageError("'\(path)' is empty: a PEM file is expected") }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func url(_ parsed: ParsedArguments) throws -> String? {
    guard var text = parsed[publicURL] else { return nil }
    while text.hasSuffix("/") { text.removeLast() }
    guard text.hasPrefix("http://") || text.hasPrefix("https://"), !text.contains("?") else {
      throw UsageError(
        "\(parsed.source(publicURL)) takes http://HOST or https://HOST, not '\(text)'"
      )
    }
    return text
  }
}
