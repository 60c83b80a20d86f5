internal import TidingsCodec
internal import TidingsJSON
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf

/// What may be an address of a delivery target, and what of it is shown to whom.
extension TidingsV1.DeliveryAddress {
  private static let urlBytes = 8...2_048
  private static let secretBytes = 24...64
  private static let secretPrefix = "whsec_"
  /// How long a replaced secret remains valid.
  private static let overlapMilliseconds: Int64 = 86_400_000

  /// What makes two addresses the same.
  ///
  /// - Throws: `ItemError` `invalidArguments` for what is no address.
  var identity: [UInt8] {
    get throws(ItemError) {
      switch kind {
      case .webhook(let webhook):
        try Self.check(url: webhook.url, "webhook.url")
        return Array("webhook\0\(webhook.url)".utf8)
      case .webPush(let push):
        try Self.check(url: push.endpoint, "web_push.endpoint")
        guard push.publicKey.count == 65, push.publicKey[0] == 4 else {
          throw Self.invalid("web_push.public_key has 65 bytes, an uncompressed point of P-256")
        }
        guard push.authSecret.count == 16 else {
          throw Self.invalid("web_push.auth_secret has 16 bytes")
        }
        return Array("web-push\0\(push.endpoint)".utf8)
      case .apns(let apns):
        guard (1...100).contains(apns.deviceToken.count) else {
          throw Self.invalid("apns.device_token has 1 to 100 bytes")
        }
        guard (1...255).contains(apns.topic.utf8.count), Self.isPrintable(apns.topic) else {
          throw Self.invalid("apns.topic has 1 to 255 bytes of printable ASCII: the bundle ID")
        }
        return Array("apns\0\(apns.topic)\0\(apns.isSandbox)\0".utf8) + apns.deviceToken
      case .fcm(let fcm):
        guard (1...4_096).contains(fcm.registrationToken.utf8.count),
          Self.isPrintable(fcm.registrationToken)
        else {
          throw Self.invalid("fcm.registration_token has 1 to 4,096 bytes of printable ASCII")
        }
        return Array("fcm\0\(fcm.registrationToken)".utf8)
      case nil:
        throw Self.invalid("there is no address: set webhook, web_push, apns or fcm")
      }
    }
  }

  /// The address with the secrets that it has from now on.
  ///
  /// - Parameters:
  ///   - previous: The one that it replaces.
  ///   - now: The time.
  /// - Returns: The address.
  /// - Throws: `ItemError` `invalidArguments` for a secret that is none.
  func completed(
    replacing previous: TidingsV1.DeliveryAddress?,
    at now: Timestamp
  ) throws(ItemError) -> Self {
    guard case .webhook(var webhook) = kind else { return self }
    if webhook.secret.isEmpty {
      let bytes = (0..<32).map { _ in UInt8.random(in: 0...255) }
      webhook.secret = Self.secretPrefix + Base64.encode(bytes)
    }
    guard webhook.secret.hasPrefix(Self.secretPrefix),
      let bytes = Base64.decode(String(webhook.secret.dropFirst(Self.secretPrefix.count))),
      Self.secretBytes.contains(bytes.count)
    else {
      throw Self.invalid("webhook.secret is 'whsec_' and the base64 of 24 to 64 bytes")
    }
    (webhook.previousSecret, webhook.previousSecretExpires) = ("", nil)
    if case .webhook(let old)? = previous?.kind {
      if old.secret == webhook.secret {
        webhook.previousSecret = old.previousSecret
        webhook.previousSecretExpires = old.previousSecretExpires
      } else {
        webhook.previousSecret = old.secret
        webhook.previousSecretExpires = .init(now.advanced(milliseconds: Self.overlapMilliseconds))
      }
    }
    return .init(kind: .webhook(webhook))
  }

  /// The address without secrets.
  var shown: Self {
    switch kind {
    case .webhook(let webhook): .init(kind: .webhook(.init(url: webhook.url)))
    case .webPush(let push): .init(kind: .webPush(.init(endpoint: push.endpoint)))
    case .apns(let apns):
      .init(kind: .apns(.init(topic: apns.topic, isSandbox: apns.isSandbox)))
    case .fcm: .init(kind: .fcm(.init()))
    case nil: .init()
    }
  }

  /// The address as senders get it: without what is not valid any more.
  func current(at now: Timestamp) -> Self {
    guard case .webhook(var webhook) = kind, let end = webhook.previousSecretExpires else {
      return self
    }
    guard end.seconds < now.seconds else { return self }
    (webhook.previousSecret, webhook.previousSecretExpires) = ("", nil)
    return .init(kind: .webhook(webhook))
  }

  private static func check(url: String, _ member: String) throws(ItemError) {
    guard urlBytes.contains(url.utf8.count), isPrintable(url), !url.contains("#"),
      let start = ["https://", "http://"].first(where: url.hasPrefix)
    else {
      throw invalid(
        "\(member) is not 'https://HOST/PATH' of 8 to 2,048 printable ASCII characters without '#'"
      )
    }
    let authority = url.dropFirst(start.count).prefix { !"/?\\".contains($0) }
    guard !authority.isEmpty, !authority.contains("@"), !authority.contains("%") else {
      throw invalid("\(member) needs a host without '%', and may have no user name")
    }
  }

  private static func isPrintable(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
  }

  private static func invalid(_ message: String) -> ItemError {
    ItemError(.invalidArguments, message)
  }
}
