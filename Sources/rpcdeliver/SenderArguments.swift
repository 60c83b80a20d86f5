import CommandLineTools
import TidingsClient
import TidingsDelivery
import TidingsKeys
import TidingsRPC

/// What rpcdeliver's command line, its environment and its configuration file say.
enum SenderArguments {
  private static let defaults = SenderSettings()

  private static let rpc = OptionKey<String>(
    "rpc",
    value: "ENDPOINTS",
    default: defaults.endpoints.joined(separator: ","),
    "The server's endpoints for calls, with commas between those of several nodes."
  )
  private static let keyFile = OptionKey<String?>(
    "key-file",
    value: "FILE",
    "The sender's key pair, whose user has the role 'sender'; without it the server must be in development mode."
  )
  private static let serverKey = OptionKey<String?>(
    "server-key",
    value: "KEY|FILE",
    "The server's public key, or its file."
  )
  private static let vapidKey = OptionKey<String?>(
    "vapid-key",
    value: "FILE",
    "The P-256 key of Web Push, in PEM."
  )
  private static let vapidSubject = OptionKey<String?>(
    "vapid-subject",
    value: "URL",
    "Whom push services can reach: mailto:ADDRESS or https://HOST."
  )
  private static let showVAPIDKey = OptionKey<Bool>(
    flag: "show-vapid-key",
    "Show the public part of --vapid-key as browsers need it, and end."
  )
  private static let apnsKey = OptionKey<String?>(
    "apns-key",
    value: "FILE",
    "The key of APNs, AuthKey_….p8."
  )
  private static let apnsKeyID = OptionKey<String?>(
    "apns-key-id",
    value: "ID",
    "The ID of that key, 10 characters."
  )
  private static let apnsTeamID = OptionKey<String?>(
    "apns-team-id",
    value: "ID",
    "The ID of the developer's team, 10 characters."
  )
  private static let apnsURL = OptionKey<String?>(
    "apns-url",
    value: "URL",
    "A server in place of Apple's, for tests."
  )
  private static let fcmAccount = OptionKey<String?>(
    "fcm-account",
    value: "FILE",
    "The service account of Firebase, in JSON."
  )
  private static let fcmURL = OptionKey<String?>(
    "fcm-url",
    value: "URL",
    "A server in place of Google's, for tests."
  )
  private static let inFlightMax = OptionKey<Int>(
    "in-flight-max",
    value: "COUNT",
    default: defaults.inFlightMax,
    in: 1...400,
    "Deliveries that are leased and not settled, at a time."
  )
  private static let inFlightPerHost = OptionKey<Int>(
    "in-flight-per-host",
    value: "COUNT",
    default: defaults.inFlightPerHost,
    in: 1...400,
    "Requests to one host of webhooks or Web Push, at a time."
  )
  private static let timeout = OptionKey<Duration?>(
    time: "timeout",
    "How long a request may take (default: 15s)."
  )
  private static let lease = OptionKey<Duration?>(
    time: "lease",
    "How long deliveries are leased, at least three times the timeout (default: 60s)."
  )
  private static let retryPauses = OptionKey<String>(
    "retry-pauses",
    value: "SECONDS",
    default: "5,30,120,600,1800,3600,7200,18000,36000,36000,36000",
    "The pauses after failed attempts, with commas between; after the last attempt a delivery is a dead letter."
  )
  private static let allowAddresses = OptionKey<[String]>(
    list: "allow-addresses",
    value: "RANGE",
    "Addresses that may be connected to besides public ones, for example 10.1.0.0/16; repeatable."
  )
  private static let allowHTTP = OptionKey<Bool>(
    flag: "allow-http",
    "Send to http:// URLs too."
  )
  private static let caFile = OptionKey<String?>(
    "ca-file",
    value: "FILE",
    "Certificates to trust in place of the system's, in PEM."
  )

  private static let options = [Option](
    of: rpc,
    keyFile,
    serverKey,
    vapidKey,
    vapidSubject,
    showVAPIDKey,
    apnsKey,
    apnsKeyID,
    apnsTeamID,
    apnsURL,
    fcmAccount,
    fcmURL,
    inFlightMax,
    inFlightPerHost,
    timeout,
    lease,
    retryPauses,
    allowAddresses,
    allowHTTP,
    caFile
  )

  static let program = ServiceProgram(
    "rpcdeliver",
    "rpcdeliver: sends notifications of Tidings to webhooks, Web Push, APNs and FCM.",
    environmentPrefix: "RPCDELIVER",
    options: options,
    discussion: """
      It is a client of rpcd and keeps nothing: run as many as you like, and start and stop them at any time.
      Prints one line when it runs: rpcdeliver ready
      Stops cleanly on SIGINT and SIGTERM; a second signal ends it immediately.
      """
  )

  /// The settings; `nil` when all that was wanted has been printed.
  static func settings(_ arguments: ArraySlice<String>) throws -> SenderSettings? {
    guard let parsed = try program.parse(arguments, version: .rpcdeliver) else { return nil }
    var settings = SenderSettings()
    settings.vapid = try vapid(parsed)
    if parsed[showVAPIDKey] {
      guard let path = parsed[vapidKey] else {
        throw UsageError("\(showVAPIDKey.spelling) needs \(vapidKey.spelling)")
      }
      print(JSONWebToken.base64URL(try p256Key(path).publicPoint))
      return nil
    }
    settings.endpoints = ClientConfiguration.endpoints(in: parsed[rpc])
    if let problem = ClientConfiguration.problem(in: settings.endpoints) {
      throw UsageError("\(parsed.source(rpc)): \(problem)")
    }
    settings.keys = try keys(parsed)
    settings.apns = try apns(parsed)
    settings.fcm = try parsed[fcmAccount].map { path in
      do {
        return try FCM.Account(json: try bytes(of: path), url: parsed[fcmURL])
      } catch let error as CryptoError {
        throw UsageError("'\(path)': \(error)")
      }
    }
    settings.inFlightMax = parsed[inFlightMax]
    settings.inFlightPerHost = parsed[inFlightPerHost]
    try setTimes(parsed, in: &settings)
    settings.transfers.rule = AddressRule(allowing: try ranges(parsed))
    settings.transfers.allowsHTTP = parsed[allowHTTP]
    settings.transfers.certificates = parsed[caFile]
    settings.transfers.agent = "Tidings/\(Version.current)"
    return settings
  }

  private static func setTimes(
    _ parsed: ParsedArguments,
    in settings: inout SenderSettings
  ) throws {
    if let timeout = parsed[timeout] { settings.transfers.timeout = timeout }
    if let lease = parsed[lease] { settings.lease = lease }
    guard settings.transfers.timeout >= .milliseconds(100),
      settings.lease >= settings.transfers.timeout * 3, settings.lease <= .seconds(3_600)
    else {
      throw UsageError(
        "\(lease.spelling) is at least three times \(timeout.spelling), and at most an hour"
      )
    }
    let pauses = parsed[retryPauses].split(separator: ",", omittingEmptySubsequences: false)
      .map { Int($0) }
    guard pauses.count <= 100, pauses.allSatisfy({ (1...604_800).contains($0 ?? 0) }) else {
      throw UsageError(
        "\(parsed.source(retryPauses)) takes up to 100 numbers of 1 to 604800 with commas between"
      )
    }
    settings.schedule = RetrySchedule(pauses.compactMap { $0 }.map { .seconds($0) })
  }

  private static func ranges(_ parsed: ParsedArguments) throws -> [AddressRule.Range] {
    try parsed[allowAddresses].flatMap { $0.split(separator: ",") }.map { text in
      guard let range = AddressRule.Range(String(text)) else {
        throw UsageError("\(allowAddresses.spelling) takes ADDRESS/BITS, not '\(text)'")
      }
      return range
    }
  }

  private static func vapid(
    _ parsed: ParsedArguments
  ) throws -> (key: PrivateKey, subject: String)? {
    guard !parsed[showVAPIDKey] else { return nil }
    switch (parsed[vapidKey], parsed[vapidSubject]) {
    case (nil, nil): return nil
    case (let path?, let subject?):
      guard subject.hasPrefix("mailto:") || subject.hasPrefix("https://") else {
        throw UsageError(
          "\(parsed.source(vapidSubject)) takes mailto:ADDRESS or https://HOST, not '\(subject)'"
        )
      }
      return (try p256Key(path), subject)
    default: throw UsageError("\(vapidKey.spelling) and \(vapidSubject.spelling) need each other")
    }
  }

  private static func apns(_ parsed: ParsedArguments) throws -> APNS.Account? {
    switch (parsed[apnsKey], parsed[apnsKeyID], parsed[apnsTeamID]) {
    case (nil, nil, nil): return nil
    case (let path?, let keyID?, let teamID?):
      return APNS.Account(
        key: try p256Key(path),
        keyID: keyID,
        teamID: teamID,
        url: parsed[apnsURL]
      )
    default:
      throw UsageError(
        "\(apnsKey.spelling), \(apnsKeyID.spelling) and \(apnsTeamID.spelling) need each other"
      )
    }
  }

  private static func p256Key(_ path: String) throws -> PrivateKey {
    let key: PrivateKey
    do {
      key = try PrivateKey(pem: try bytes(of: path))
    } catch let error as CryptoError {
      throw UsageError("'\(path)': \(error)")
    }
    guard key.isP256 else { throw UsageError("the key in '\(path)' is not one of P-256") }
    return key
  }

  private static func keys(_ parsed: ParsedArguments) throws -> ClientKeys? {
    switch (parsed[keyFile], parsed[serverKey]) {
    case (nil, nil): return nil
    case (let file?, let server?): return try ClientKeys(file: file, server: server)
    default: throw UsageError("\(keyFile.spelling) and \(serverKey.spelling) need each other")
    }
  }

  private static func bytes(of path: String) throws(UsageError) -> [UInt8] {
    let bytes = try OptionFile.bytes(
      of: path,
      as: "a file of a key or an account",
      bytesMax: 65_536,
      takesPipes: true
    )
    guard !bytes.isEmpty else { throw UsageError("'\(path)' is empty") }
    return bytes
  }
}
