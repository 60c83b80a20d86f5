internal import Synchronization
internal import TidingsJSON
package import TidingsProto

/// Web Push (RFC 8030) with VAPID (RFC 8292): to browsers, through their makers' services.
package final class WebPush: PushService {
  private static let tokenSeconds = 12 * 3_600
  /// Tokens are made again when so much of their time is left.
  private static let tokenRestSeconds = 3_600
  private static let tokensMax = 1_000
  private static let lifeSeconds = 28 * 86_400

  private let key: PrivateKey
  private let publicKey: String
  private let subject: String
  private let tokens = Mutex<[String: (token: String, ends: Int)]>([:])

  /// - Parameters:
  ///   - key: The sender's key of P-256, to which browsers subscribe.
  ///   - subject: Whom a push service can reach: `mailto:…` or `https://…`.
  /// - Throws: `CryptoError`.
  package init(key: PrivateKey, subject: String) throws(CryptoError) {
    (self.key, self.subject) = (key, subject)
    publicKey = JSONWebToken.base64URL(try key.publicPoint)
  }

  package func request(
    for delivery: Outgoing,
    to address: TidingsV1.DeliveryAddress
  ) async throws -> TransferRequest {
    guard case .webPush(let push)? = address.kind else {
      throw Refusal.givenUp("the target is no Web Push subscription")
    }
    let info = delivery.userInfo {
      JSONValue.object($0).text().count <= WebPushSealing.messageBytesMax
    }
    guard let info else { throw Refusal.givenUp("the notification does not fit in 4,096 bytes") }
    let body: [UInt8]
    do {
      body = try WebPushSealing.seal(
        JSONValue.object(info).text(),
        publicKey: push.publicKey,
        authSecret: push.authSecret
      )
    } catch {
      throw Refusal.givenUp("the subscription's key cannot be used: \(error)")
    }
    var headers = [
      ("Content-Type", "application/octet-stream"), ("Content-Encoding", "aes128gcm"),
      ("TTL", "\(Self.lifeSeconds)"), ("Urgency", delivery.isAlert ? "high" : "normal"),
      ("Authorization", "vapid t=\(try token(for: push.endpoint)), k=\(publicKey)"),
    ]
    let collapseID = delivery.notification.collapseID
    if !collapseID.isEmpty {
      headers.append(("Topic", JSONWebToken.base64URL(Outgoing.hash(collapseID, bytes: 24))))
    }
    var request = TransferRequest(push.endpoint, headers: headers, body: body)
    request.sharesConnection = true
    return request
  }

  package func verdict(
    on answer: TransferAnswer,
    to request: TransferRequest,
    of delivery: Outgoing
  ) async -> Verdict {
    switch answer.status {
    case 200..<300: .sent
    case 404, 410: .targetGone(answer.described)
    case 408, 425, 429, 500...: answer.retry()
    default: .givenUp(answer.described)
    }
  }

  /// A token for the origin of an endpoint.
  private func token(for endpoint: String) throws -> String {
    let origin = Self.origin(of: endpoint)
    let now = UnixTime.now
    if let known = tokens.withLock({ $0[origin] }), known.ends - Self.tokenRestSeconds > now {
      return known.token
    }
    let ends = now + Self.tokenSeconds
    let token = try JSONWebToken.make(
      ["aud": .string(origin), "exp": .integer(ends), "sub": .string(subject)],
      key: key
    )
    tokens.withLock { tokens in
      if tokens.count >= Self.tokensMax { tokens.removeAll() }
      tokens[origin] = (token, ends)
    }
    return token
  }

  static func origin(of url: String) -> String {
    guard let colon = url.firstRange(of: "://") else { return url }
    return String(url[..<colon.upperBound] + url[colon.upperBound...].prefix { !"/?".contains($0) })
  }
}
