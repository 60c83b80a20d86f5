internal import TidingsProto

/// What follows from what a server tells: values in, diagnoses out.
enum ServerJudgements {
  private static let clockWarning = Duration.seconds(2)
  private static let clockProblem = Duration.seconds(120)
  private static let expiryWarning = Duration.seconds(14 * 86_400)
  private static let quotaWarning = 0.9

  /// Client and server are of the same version.
  static func version(client: String, server: String) -> Diagnosis {
    guard client != server else { return .ok("version", "client and server \(server)") }
    let (ours, theirs) = (release(client), release(server))
    return ours == theirs
      ? .ok("version", "client \(client), server \(server)")
      : .warning(
        "version",
        "client \(client), server \(server)",
        "Update the older one, so that each knows what the other can."
      )
  }

  /// The first two numbers of a version: `0.1` of `0.1.3-dev`.
  private static func release(_ version: String) -> [Substring] {
    Array(version.split(separator: ".").prefix(2))
  }

  /// The clocks agree.
  ///
  /// - Parameters:
  ///   - server: The server's time of a save.
  ///   - before: Our time when the save was sent.
  ///   - after: Our time when the answer was there.
  /// - Returns: What follows; the difference is known to within half the time in between.
  static func clock(
    server: GoogleProtobuf.Timestamp,
    before: GoogleProtobuf.Timestamp,
    after: GoogleProtobuf.Timestamp
  ) -> Diagnosis {
    // What may be due to the way is not held against anybody.
    let ahead = server.since(after)
    let behind = before.since(server)
    let difference = max(ahead, behind, .zero)
    let text =
      difference == .zero
      ? "server and client agree"
      : "the server is \(difference.shortText) \(ahead > behind ? "ahead of" : "behind") this machine"
    let advice = "Keep both clocks right with NTP: keys and shares expire by the server's."
    if difference > clockProblem { return .problem("clock", text, advice) }
    return difference > clockWarning ? .warning("clock", text, advice) : .ok("clock", text)
  }

  /// The caller has an account, and its key is good for a while.
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
          "Ask an administrator: `rpcctl users admit \(account.userRecordName)`."
        )
      )
    default:
      found.append(
        .problem(
          "account",
          "the caller has no account: \(Contract.shortName(account.status, "ACCOUNT_STATUS_"))",
          "Say who calls: --key-file with a key that is admitted, or in development mode --as USER."
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
      ? .ok("key", "admitted until \(end.text)")
      : .warning(
        "key",
        "it expires \(end.text)",
        "Let an administrator replace it: `rpcctl keys rotate`."
      )
  }

  /// There is room for more.
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
        "Delete what is not needed, or ask an administrator: `rpcctl users update --help`."
      )
    }
  }
}
