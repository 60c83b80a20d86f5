internal import TidingsModel

/// Sign-ins that wait for a user to approve their codes in another program (RFC 8628), in memory only.
final class SignIns: TransactionParticipant {
  private struct SignIn {
    let apiToken: Int64
    let isKept: Bool
    let code: String
    let ends: Timestamp
    /// Who approved it; `nil`: nobody.
    var user: String?
  }

  /// What became of a sign-in.
  enum Outcome {
    /// It waits for a user.
    case waiting
    /// A user approved it: it is over with the open transaction.
    case approved(user: String, apiToken: Int64, isKept: Bool)
  }

  /// Without vowels, and so without words, and without what looks like a digit (RFC 8628, 6.1).
  private static let letters = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
  private static let letterCount = 8
  private static let hourSeconds = 3_600
  /// Users whose wrong codes are counted; beyond, those of the longest ago are forgotten.
  private static let usersMax = 10_000

  private let limits: Limits
  /// By the hash of their secret.
  private var waiting: [WebTokenHash: SignIn] = [:]
  private var byCode: [String: WebTokenHash] = [:]
  /// When users gave wrong codes, in the last hour.
  private var wrongCodes: [String: [Timestamp]] = [:]
  /// Those that were completed in the open transaction.
  private var completed: Set<WebTokenHash> = []
  private var now = Timestamp(millisecondsSince1970: 0)

  init(_ limits: Limits) { self.limits = limits }

  // MARK: Transactions

  func begin(at moment: Moment) { now = moment.timeOfDay }

  func didCommit() {
    for secret in completed { remove(secret) }
    completed = []
  }

  func didRollback() { completed = [] }

  // MARK: Steps

  /// Begins a sign-in.
  ///
  /// - Returns: Its secret and its code.
  /// - Throws: `requestRateLimited` when too many wait.
  func begin(apiToken: Int64, isKept: Bool) throws(ItemError) -> (secret: String, code: String) {
    if waiting.count >= limits.signInsWaitingMax { removeEnded() }
    guard waiting.count < limits.signInsWaitingMax else {
      throw ItemError(
        .requestRateLimited,
        "\(waiting.count) sign-ins wait for their users, the most at a time: try again later",
        retryAfter: .seconds(10)
      )
    }
    let secret = Cryptography.randomBytes(WebTokenText.bytesCount)
    var code = Self.randomCode()
    while byCode[code] != nil { code = Self.randomCode() }
    let hash = secret.withUnsafeBytes { WebTokenHash(hashing: $0) }
    let ends = now.advanced(seconds: limits.signInSeconds)
    waiting[hash] = SignIn(apiToken: apiToken, isKept: isKept, code: code, ends: ends)
    byCode[code] = hash
    return (WebTokenText.base64URL(secret), code)
  }

  /// The API token of a code that a user gives.
  ///
  /// - Throws: `unknownItem` for a wrong code; `requestRateLimited` after too many.
  func find(_ text: String, by user: String) throws(ItemError) -> (apiToken: Int64, isKept: Bool) {
    let entry = try signIn(text, by: user).signIn
    return (entry.apiToken, entry.isKept)
  }

  /// A user approves the sign-in of a code; errors as `find`.
  func approve(_ text: String, by user: String) throws(ItemError) {
    let found = try signIn(text, by: user)
    waiting[found.secret]?.user = user
  }

  /// What became of a sign-in; an approved one is over with the open transaction.
  ///
  /// - Throws: `unknownItem` when it is over.
  func complete(_ secret: String) throws(ItemError) -> Outcome {
    let text = Array(secret.utf8)
    guard let hash = text.withUnsafeBytes({ WebTokenHash(ofWebAuthToken: $0) }),
      let signIn = waiting[hash], signIn.ends > now, !completed.contains(hash)
    else {
      throw ItemError(.unknownItem, "the sign-in is over, or never began: begin another one")
    }
    guard let user = signIn.user else { return .waiting }
    completed.insert(hash)
    return .approved(user: user, apiToken: signIn.apiToken, isKept: signIn.isKept)
  }

  // MARK: Codes

  private func signIn(
    _ text: String,
    by user: String
  ) throws(ItemError) -> (secret: WebTokenHash, signIn: SignIn) {
    let since = now.advanced(seconds: -Self.hourSeconds)
    let wrong = (wrongCodes[user] ?? []).filter { $0 > since }
    guard wrong.count < limits.wrongCodesPerHourMax else {
      throw ItemError(
        .requestRateLimited,
        "\(wrong.count) wrong codes within an hour are the most: try again later",
        retryAfter: wrong[0].since(since)
      )
    }
    guard let hash = byCode[Self.normalized(text)], let signIn = waiting[hash], signIn.ends > now,
      signIn.user == nil || signIn.user == user
    else {
      if wrongCodes.count >= Self.usersMax { forgetWrongCodes(before: since) }
      wrongCodes[user] = wrong + [now]
      throw ItemError(
        .unknownItem,
        "no sign-in has this code: compare it with the page, which shows another one after "
          + "\(limits.signInSeconds / 60) minutes"
      )
    }
    return (hash, signIn)
  }

  private func forgetWrongCodes(before time: Timestamp) {
    wrongCodes = wrongCodes.filter { $0.value.last.map { $0 > time } ?? false }
    guard wrongCodes.count >= Self.usersMax else { return }
    let oldest = wrongCodes.min { $0.value.last ?? time < $1.value.last ?? time }
    if let oldest { wrongCodes[oldest.key] = nil }
  }

  private static func normalized(_ text: String) -> String {
    String(text.uppercased().filter { $0 != "-" && !$0.isWhitespace })
  }

  private static func randomCode() -> String {
    // Bytes that would favor some letters are dropped.
    let bound = UInt8(256 / letters.count * letters.count)
    var code: [UInt8] = []
    while code.count < letterCount {
      code += Cryptography.randomBytes(letterCount).filter { $0 < bound }
        .map { letters[Int($0) % letters.count] }
    }
    return String(decoding: code.prefix(letterCount), as: UTF8.self)
  }

  private func removeEnded() {
    for (secret, signIn) in waiting where signIn.ends <= now { remove(secret) }
  }

  private func remove(_ secret: WebTokenHash) {
    guard let signIn = waiting.removeValue(forKey: secret) else { return }
    byCode[signIn.code] = nil
  }
}
