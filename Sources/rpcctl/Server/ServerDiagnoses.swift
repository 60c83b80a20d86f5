internal import TidingsProto

/// Diagnoses from a server's responses: values in, values out.
enum ServerDiagnoses {
  private static let clockWarning = Duration.seconds(2)
  private static let clockProblem = Duration.seconds(120)
  private static let expiryWarning = Duration.seconds(14 * 86_400)
  private static let quotaWarning = 0.9

  /// Compares the versions of client and server.
  static func version(client: String, server: String) -> Diagnosis {
    guard client != server else { return .ok("version", "client and server \(server)") }
    let (ours, theirs) = (release(client), release(server))
    return ours == theirs
      ? .ok("version", "client \(client), server \(server)")
      : .warning(
        "version",
        "client \(client), server \(server)",
        "Update the older one."
      )
  }

  /// The first two numbers of a version: `0.1` of `0.1.3-dev`.
  private static func release(_ version: String) -> [Substring] {
    Array(version.split(separator: ".").prefix(2))
  }

  /// Compares the clocks.
  ///
  /// - Parameters:
  ///   - server: The server's time of a save.
  ///   - before: The client's time when the save was sent.
  ///   - after: The client's time when the response arrived.
  /// - Returns: The diagnosis; the difference is accurate to half the round-trip time.
  static func clock(
    server: GoogleProtobuf.Timestamp,
    before: GoogleProtobuf.Timestamp,
    after: GoogleProtobuf.Timestamp
  ) -> Diagnosis {
    // A difference that the round trip can explain does not count.
    let ahead = server.since(after)
    let behind = before.since(server)
    let difference = max(ahead, behind, .zero)
    let text =
      difference == .zero
      ? "server and client agree"
      : "the server is \(difference.shortText) \(ahead > behind ? "ahead of" : "behind") this machine"
    let advice = "Synchronize both clocks with NTP: keys and shares expire by the server's clock."
    if difference > clockProblem { return .problem("clock", text, advice) }
    return difference > clockWarning ? .warning("clock", text, advice) : .ok("clock", text)
  }

  /// Checks that the caller has an account and a key that does not expire soon.
  static func account(
    _ account: TidingsV1.FetchAccountStatusResponse,
    now: GoogleProtobuf.Timestamp
  ) -> [Diagnosis] {
    var found: [Diagnosis] = []
    switch account.status {
    case .available:
      let roles = account.roles.isEmpty ? "" : ", roles: \(account.roles.joined(separator: " "))"
      found.append(.ok("account", account.userRecordName + roles))
    case .restricted:
      found.append(
        .problem(
          "account",
          "\(account.userRecordName) is restricted",
          "Ask an administrator to run `rpcctl users admit \(account.userRecordName)`."
        )
      )
    default:
      found.append(
        .problem(
          "account",
          "the caller has no account: \(Contract.shortName(account.status, "ACCOUNT_STATUS_"))",
          "Use --key-file with an authorized key or, in development mode, --as USER."
        )
      )
    }
    if account.keyExpiresMs > 0 { found.append(expiry(account.keyExpiresMs, now: now)) }
    return found + quota(account)
  }

  private static func expiry(_ milliseconds: UInt64, now: GoogleProtobuf.Timestamp) -> Diagnosis {
    let time = Int64(clamping: milliseconds)
    let end = GoogleProtobuf.Timestamp(
      seconds: time / 1_000,
      nanos: Int32(time % 1_000) * 1_000_000
    )
    let left = end.since(now)
    return left > expiryWarning
      ? .ok("key", "valid until \(end.text)")
      : .warning(
        "key",
        "it expires \(end.text)",
        "Ask an administrator to replace it: `rpcctl keys rotate`."
      )
  }

  /// Checks the remaining quota.
  private static func quota(_ account: TidingsV1.FetchAccountStatusResponse) -> [Diagnosis] {
    guard let quota = account.quota else { return [] }
    let (records, bytes) = account.usage.reduce(into: (UInt64(0), UInt64(0))) {
      $0.0 += $1.records
      $0.1 += $1.bytes
    }
    var parts: [(what: String, used: UInt64, max: UInt64)] = [
      ("records in all containers", records, quota.recordsMax),
      ("bytes in all containers", bytes, quota.bytesMax),
    ]
    for usage in account.usage {
      let what = "subscriptions in container '\(usage.container)'"
      parts.append((what, usage.subscriptions, UInt64(quota.subscriptionsMax)))
    }
    return parts.filter { $0.max > 0 && Double($0.used) >= quotaWarning * Double($0.max) }.map {
      Diagnosis.warning(
        "quota",
        "\($0.used) of \($0.max) \($0.what)",
        "Delete data, or ask an administrator for more: `rpcctl users update --help`."
      )
    }
  }
}
