internal import Synchronization
internal import TidingsJSON
package import TidingsProto

/// Firebase Cloud Messaging, HTTP v1, with a service account.
package final class FCM: PushService {
  package static let standardURL = "https://fcm.googleapis.com"
  private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
  private static let assertionSeconds = 3_600
  /// A token is fetched again when so much of its time is left.
  private static let tokenRestSeconds = 300
  private static let dataBytesMax = 4_000
  private static let lifeSeconds = 28 * 86_400

  /// What a service account's file has.
  package struct Account: Sendable {
    package var projectID: String
    package var email: String
    package var key: PrivateKey
    package var tokenURL: String
    /// In place of Google's, for tests.
    package var url: String?

    /// Reads the file.
    ///
    /// - Throws: `CryptoError` for what is no service account.
    package init(json: [UInt8], url: String? = nil) throws(CryptoError) {
      guard let object = (try? JSONValue(parsing: json))?.object,
        let projectID = object["project_id"]?.string, let email = object["client_email"]?.string,
        let pem = object["private_key"]?.string, let tokenURL = object["token_uri"]?.string
      else {
        throw CryptoError(
          "the file is no service account: it needs project_id, client_email, private_key and token_uri"
        )
      }
      key = try PrivateKey(pem: Array(pem.utf8))
      guard key.isRSA else { throw CryptoError("the service account has no key of RSA") }
      (self.projectID, self.email, self.tokenURL, self.url) = (projectID, email, tokenURL, url)
    }
  }

  private struct Token {
    var text: String
    var ends: Int
  }

  private let account: Account
  private let transfers: Transfers
  private let token = Mutex<Token?>(nil)
  /// The fetch of a token that is under way.
  private let fetch = Mutex<Task<String, any Error>?>(nil)

  package init(_ account: Account, _ transfers: Transfers) {
    (self.account, self.transfers) = (account, transfers)
  }

  package func request(
    for delivery: Outgoing,
    to address: TidingsV1.DeliveryAddress
  ) async throws -> TransferRequest {
    guard case .fcm(let fcm)? = address.kind else {
      throw Refusal.givenUp("the target is no device of Firebase")
    }
    // Firebase counts what it shows, too.
    let info = delivery.userInfo { info in
      let shownBytes = Self.shown(of: info).map { JSONValue.object($0).text().count } ?? 0
      return JSONValue.object(info).text().count + shownBytes <= Self.dataBytesMax
    }
    guard let info else { throw Refusal.givenUp("the notification does not fit in 4,000 bytes") }
    let body = JSONValue.object([
      "message": .object(message(info, delivery, to: fcm.registrationToken))
    ])
    var request = TransferRequest(
      "\(account.url ?? Self.standardURL)/v1/projects/\(account.projectID)/messages:send",
      headers: [
        ("Authorization", try await authorization()),
        ("Content-Type", "application/json"),
      ],
      body: body.text()
    )
    request.sharesConnection = true
    return request
  }

  private func message(
    _ info: JSONObject,
    _ delivery: Outgoing,
    to token: String
  ) -> JSONObject {
    var message: JSONObject = [
      "token": .string(token), "data": .object(["tidings": .string("\(JSONValue.object(info))")]),
    ]
    if let shown = Self.shown(of: info) { message.append("notification", .object(shown)) }
    var android: JSONObject = [
      "priority": .string(delivery.isAlert ? "HIGH" : "NORMAL"),
      "ttl": .string("\(Self.lifeSeconds)s"),
    ]
    let collapseID = delivery.notification.collapseID
    if !collapseID.isEmpty { android.append("collapse_key", .string(collapseID)) }
    message.append("android", .object(android))
    return message
  }

  /// What Firebase shows by itself; `nil`: nothing.
  private static func shown(of info: JSONObject) -> JSONObject? {
    guard let alert = info["aps"]?.object?["alert"] else { return nil }
    var shown = JSONObject()
    for name in ["title", "body"] {
      let text = alert.object?[name]?.string ?? (name == "body" ? alert.string : nil)
      if let text { shown.append(name, .string(text)) }
    }
    return shown.members.isEmpty ? nil : shown
  }

  package func verdict(
    on answer: TransferAnswer,
    to request: TransferRequest,
    of delivery: Outgoing
  ) async -> Verdict {
    if answer.status == 200 { return .sent }
    let error = (try? JSONValue(parsing: answer.body))?.object?["error"]?.object
    let codes = (error?["details"]?.array ?? []).compactMap { $0.object?["errorCode"]?.string }
    switch answer.status {
    case 404 where codes.contains("UNREGISTERED"): return .targetGone(answer.described)
    case 401:
      let refused = request.header("Authorization")
      token.withLock { if $0?.text == refused { $0 = nil } }
      return .again(answer.described)
    case 403 where codes.contains("SENDER_ID_MISMATCH"): return .givenUp(answer.described)
    case 403, 408, 429, 500...: return answer.retry()
    default: return .givenUp(answer.described)
    }
  }

  // MARK: The access token

  private func authorization() async throws -> String {
    let now = UnixTime.now
    if let known = token.withLock({ $0 }), known.ends - Self.tokenRestSeconds > now {
      return known.text
    }
    // Many deliveries wait for one fetch.
    let task = fetch.withLock { fetch in
      if let fetch { return fetch }
      let task = Task { try await fetchToken() }
      fetch = task
      return task
    }
    defer { fetch.withLock { if $0 == task { $0 = nil } } }
    return try await task.value
  }

  private func fetchToken() async throws -> String {
    let now = UnixTime.now
    let assertion = try JSONWebToken.make(
      [
        "iss": .string(account.email), "scope": .string(Self.scope),
        "aud": .string(account.tokenURL), "iat": .integer(now),
        "exp": .integer(now + Self.assertionSeconds),
      ],
      key: account.key
    )
    let form =
      "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
    let answer: TransferAnswer
    do {
      answer = try await transfers.send(
        TransferRequest(
          account.tokenURL,
          headers: [("Content-Type", "application/x-www-form-urlencoded")],
          body: Array(form.utf8)
        )
      )
    } catch {
      throw Refusal.retry("no access token: \(error)")
    }
    guard answer.status == 200,
      let object = (try? JSONValue(parsing: answer.body))?.object,
      let text = object["access_token"]?.string
    else { throw Refusal.retry("no access token: status \(answer.status)") }
    let asked = (object["expires_in"]?.number).flatMap { Int($0.literal) } ?? 3_600
    let seconds = min(max(asked, 60), 86_400)
    let authorization = "Bearer " + text
    token.withLock { $0 = Token(text: authorization, ends: now + seconds) }
    return authorization
  }
}
