internal import Synchronization
internal import TidingsFiles
internal import TidingsJSON
package import TidingsProto

/// Apple Push Notification service, with a provider's token.
package final class APNS: PushService {
  package static let productionURL = "https://api.push.apple.com"
  package static let sandboxURL = "https://api.sandbox.push.apple.com"

  /// Apple takes tokens up to an hour old, and no new one within 20 minutes.
  private static let tokenAgeMax = 40 * 60
  private static let tokenAgeMin = 20 * 60
  private static let payloadBytesMax = 4_096
  private static let lifeSeconds = 30 * 86_400
  private static let collapseBytesMax = 64

  /// Which account it sends for.
  package struct Account: Sendable {
    package var key: PrivateKey
    package var keyID: String
    package var teamID: String
    /// In place of Apple's, for tests.
    package var url: String?

    package init(key: PrivateKey, keyID: String, teamID: String, url: String? = nil) {
      (self.key, self.keyID, self.teamID, self.url) = (key, keyID, teamID, url)
    }
  }

  private struct Token {
    var text: String
    var issued: Int
  }

  private let account: Account
  private let now: @Sendable () -> Int
  private let token = Mutex<Token?>(nil)

  /// Sends for an account.
  ///
  /// - Parameters:
  ///   - account: Which one.
  ///   - now: The time of day in seconds since 1970.
  package init(_ account: Account, now: @escaping @Sendable () -> Int = { UnixTime.now }) {
    (self.account, self.now) = (account, now)
  }

  package func request(
    for delivery: Outgoing,
    to address: TidingsV1.DeliveryAddress
  ) async throws -> TransferRequest {
    guard case .apns(let apns)? = address.kind else {
      throw Refusal.givenUp("the target is no device of Apple's")
    }
    let info = delivery.userInfo { Self.payload($0).count <= Self.payloadBytesMax }
    guard let info else { throw Refusal.givenUp("the notification does not fit in 4,096 bytes") }
    let aps = info["aps"]?.object
    let isAlert = ["alert", "sound", "badge"].contains { aps?[$0] != nil }
    var headers = [
      ("authorization", try authorization()), ("apns-topic", apns.topic),
      ("apns-push-type", isAlert ? "alert" : "background"),
      ("apns-priority", isAlert ? "10" : "5"),
      ("apns-expiration", "\(delivery.committedSeconds + Int64(Self.lifeSeconds))"),
      ("apns-id", Self.uuid(delivery.id)), ("content-type", "application/json"),
    ]
    let collapseID = delivery.notification.collapseID
    if !collapseID.isEmpty {
      let isShort =
        collapseID.utf8.count <= Self.collapseBytesMax
        && collapseID.utf8.allSatisfy { (0x20..<0x7f).contains($0) }
      headers.append(
        (
          "apns-collapse-id",
          isShort ? collapseID : JSONWebToken.base64URL(Outgoing.hash(collapseID, bytes: 32))
        )
      )
    }
    let base = account.url ?? (apns.isSandbox ? Self.sandboxURL : Self.productionURL)
    var request = TransferRequest(
      "\(base)/3/device/\(apns.deviceToken.hexadecimal)",
      headers: headers,
      body: Self.payload(info)
    )
    request.sharesConnection = true
    return request
  }

  package func verdict(
    on answer: TransferAnswer,
    to request: TransferRequest,
    of delivery: Outgoing
  ) async -> Verdict {
    if answer.status == 200 { return .sent }
    let object = (try? JSONValue(parsing: answer.body))?.object
    let reason = object?["reason"]?.string ?? ""
    switch (answer.status, reason) {
    case (410, _):
      // The device has registered again since.
      let gone = object?["timestamp"]?.number?.exactly(Int64.self)
      if let gone, gone < delivery.targetAddedMilliseconds { return answer.retry() }
      return .targetGone(answer.described)
    case (400, "BadDeviceToken"): return .targetGone(answer.described)
    case (403, "ExpiredProviderToken"):
      return hasAnotherToken(than: request.header("authorization"))
        ? .again(answer.described) : answer.retry()
    // The sender's key or clock is wrong, which an operator can make right.
    case (401, _), (403, _), (408, _), (429, _), (500..., _): return answer.retry()
    default: return .givenUp(answer.described)
    }
  }

  /// APNs wants `aps`.
  private static func payload(_ info: JSONObject) -> [UInt8] {
    guard info["aps"] == nil else { return JSONValue.object(info).text() }
    var object: JSONObject = ["aps": .object(["content-available": .integer(1)])]
    for member in info.members { object.append(member.name, member.value) }
    return JSONValue.object(object).text()
  }

  private func authorization() throws -> String {
    let now = now()
    return try token.withLock { token in
      if let token, (0..<Self.tokenAgeMax).contains(now - token.issued) { return token.text }
      let text = try JSONWebToken.make(
        ["iss": .string(account.teamID), "iat": .integer(now)],
        keyID: account.keyID,
        key: account.key
      )
      token = Token(text: "bearer " + text, issued: now)
      return "bearer " + text
    }
  }

  /// Whether the next request has another token than one that was refused.
  private func hasAnotherToken(than refused: String?) -> Bool {
    let now = now()
    return token.withLock { token in
      guard let current = token, current.text == refused else { return true }
      // Renewed more often, tokens are refused as too many.
      guard !(0..<Self.tokenAgeMin).contains(now - current.issued) else { return false }
      token = nil
      return true
    }
  }

  /// The same UUID for each attempt.
  private static func uuid(_ id: String) -> String {
    let digits = Array(Outgoing.hash(id, bytes: 16).hexadecimal)
    var text = ""
    for (start, end) in [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)] {
      text += (text.isEmpty ? "" : "-") + String(digits[start..<end])
    }
    return text
  }
}
