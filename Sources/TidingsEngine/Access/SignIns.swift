internal import TidingsModel

/// Sign-ins that wait for a user to approve their codes in another program (RFC 8628), in memory only.
final class SignIns: TransactionParticipant {
  private struct SignIn {
    /// In the order of their begin.
    let number: UInt64
    let apiToken: Int64
    let address: String
    let isKept: Bool
    let code: String
    let ends: Timestamp
    /// Who approved it; `nil`: nobody.
    var user: String?
  }

  /// Where sign-ins begin.
  private struct Source: Hashable {
    let apiToken: Int64
    let address: String
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
  private var begunCount: UInt64 = 0
  /// By the hash of their secret.
  private var waiting: [WebTokenHash: SignIn] = [:]
  private var byCode: [String: WebTokenHash] = [:]
  /// In the order of their begin, which is that of their end; some are over.
  private var begun: [WebTokenHash] = []
  /// The number of those that wait, by where they began.
  private var counts: [Source: Int] = [:]
  private var countsByToken: [Int64: Int] = [:]
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

  /// Begins a sign-in; where too many wait, the oldest one is over.
  ///
  /// - Returns: Its secret and its code.
  func begin(
    apiToken: Int64,
    from address: String,
    isKept: Bool
  ) -> (secret: String, code: String) {
    makeRoom(apiToken: apiToken, address: address)
    let secret = Cryptography.randomBytes(WebTokenText.bytesCount)
    var code = Self.randomCode()
    while byCode[code] != nil { code = Self.randomCode() }
    let hash = secret.withUnsafeBytes { WebTokenHash(hashing: $0) }
    let ends = now.advanced(seconds: limits.signInSeconds)
    begunCount += 1
    waiting[hash] = SignIn(
      number: begunCount,
      apiToken: apiToken,
      address: address,
      isKept: isKept,
      code: code,
      ends: ends
    )
    byCode[code] = hash
    begun.append(hash)
    counts[Source(apiToken: apiToken, address: address), default: 0] += 1
    countsByToken[apiToken, default: 0] += 1
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
    if found.signIn.user == nil {
      let approvedCount = waiting.values.count { $0.user == user }
      if approvedCount >= limits.signInsApprovedPerUserMax { removeOldest { $0.user == user } }
    }
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

  // MARK: Room

  /// Anybody can begin sign-ins: those of one address, or of one API token, take no room from others.
  private func makeRoom(apiToken: Int64, address: String) {
    removeEnded()
    let source = Source(apiToken: apiToken, address: address)
    if counts[source, default: 0] >= limits.signInsWaitingPerAddressMax {
      removeOldest { $0.apiToken == apiToken && $0.address == address }
    }
    if countsByToken[apiToken, default: 0] >= limits.signInsWaitingPerTokenMax {
      removeOldest { $0.apiToken == apiToken }
    }
    if waiting.count >= limits.signInsWaitingMax { removeOldest { _ in true } }
  }

  /// Removes a sign-in of a kind of which as many wait as may: of the API token and the address that have the most, the
  /// oldest that no user has approved.
  ///
  /// Looks through all of them, once for each that is begun while there are as many as may be.
  private func removeOldest(where isMeant: (SignIn) -> Bool) {
    let meant = waiting.filter { isMeant($0.value) }
    let unapproved = meant.filter { $0.value.user == nil }
    let ofToken = Self.most(Array(unapproved.isEmpty ? meant : unapproved)) { $0.apiToken }
    let ofAddress = Self.most(ofToken) { $0.address }
    if let oldest = ofAddress.min(by: { $0.value.number < $1.value.number }) { remove(oldest.key) }
  }

  private typealias Waiting = [WebTokenHash: SignIn].Element

  /// The sign-ins of the owner that has the most.
  private static func most(
    _ signIns: [Waiting],
    of owner: (SignIn) -> some Hashable
  ) -> [Waiting] {
    Dictionary(grouping: signIns) { owner($0.value) }.values.max { $0.count < $1.count } ?? []
  }

  private func removeEnded() {
    let isOver = { [self] (secret: WebTokenHash) in waiting[secret].map { $0.ends <= now } ?? true }
    let over = begun.prefix(while: isOver)
    for secret in over { remove(secret) }
    begun.removeFirst(over.count)
    if begun.count > 2 * waiting.count + Self.overMax { begun.removeAll(where: isOver) }
  }

  /// So many more than wait may be over without being removed from the order.
  private static let overMax = 100

  private func remove(_ secret: WebTokenHash) {
    guard let signIn = waiting.removeValue(forKey: secret) else { return }
    byCode[signIn.code] = nil
    Self.decrement(&counts, Source(apiToken: signIn.apiToken, address: signIn.address))
    Self.decrement(&countsByToken, signIn.apiToken)
  }

  private static func decrement<Owner>(_ counts: inout [Owner: Int], _ owner: Owner) {
    let count = counts[owner, default: 1] - 1
    counts[owner] = count == 0 ? nil : count
  }
}
