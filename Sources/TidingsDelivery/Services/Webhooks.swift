internal import TidingsJSON
package import TidingsProto

/// Standard Webhooks: a signed POST.
package struct Webhooks: PushService {
  private static let bodyBytesMax = 262_144
  private static let secretPrefix = "whsec_"

  package init() {}

  package func request(
    for delivery: Outgoing,
    to address: TidingsV1.DeliveryAddress
  ) async throws -> TransferRequest {
    guard case .webhook(let webhook)? = address.kind else {
      throw Refusal.givenUp("the target is no webhook")
    }
    func body(_ data: JSONObject) -> [UInt8] {
      JSONValue.object([
        "type": .string(delivery.isTest ? "tidings.test" : "tidings.notification"),
        "timestamp": .string(UnixTime.text(delivery.committedSeconds)),
        "data": .object(data),
      ]).text()
    }
    guard let data = delivery.userInfo(fitting: { body($0).count <= Self.bodyBytesMax }) else {
      throw Refusal.givenUp("the notification is larger than \(Self.bodyBytesMax) bytes")
    }
    let bytes = body(data)
    let time = "\(UnixTime.now)"
    let secrets = [webhook.secret, webhook.previousSecret].filter { !$0.isEmpty }
    let signatures = try secrets.map {
      try Self.signature(of: bytes, id: delivery.id, timestamp: time, secret: $0)
    }
    return TransferRequest(
      webhook.url,
      headers: [
        ("Content-Type", "application/json"), ("webhook-id", delivery.id),
        ("webhook-timestamp", time), ("webhook-signature", signatures.joined(separator: " ")),
      ],
      body: bytes
    )
  }

  /// `v1,` and the base64 of the HMAC of ID, time and body.
  package static func signature(
    of body: [UInt8],
    id: String,
    timestamp: String,
    secret: String
  ) throws -> String {
    guard secret.hasPrefix(secretPrefix),
      let key = Base64.decode(String(secret.dropFirst(secretPrefix.count)))
    else { throw Refusal.givenUp("the target's secret is none") }
    let message = Array("\(id).\(timestamp).".utf8) + body
    return "v1," + Base64.encode(try Primitives.hmac(message, key: key))
  }

  package func verdict(
    on answer: TransferAnswer,
    to request: TransferRequest,
    of delivery: Outgoing
  ) async -> Verdict {
    switch answer.status {
    case 200..<300: .sent
    case 410: .targetGone(answer.described)
    default: answer.retry()
    }
  }
}
