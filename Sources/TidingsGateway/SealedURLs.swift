internal import Glibc
internal import Synchronization
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC
internal import TidingsSeal
internal import TidingsWeb

/// URLs that carry everything that they stand for, sealed: whoever has one may do what it says, until it expires.
///
/// The key is derived from the gateway's own, so that several gateways with one key, and one that restarts, take each
/// other's URLs.
final class SealedURLs: Sendable {
  /// What a URL stands for.
  struct Content: Hashable {
    enum Purpose: String { case upload, download, courier, signIn }

    var purpose: Purpose
    var database: WebDatabase
    var caller: WebCaller
    /// In seconds since 1970.
    var expires: Int
    /// Of a download.
    var asset: TidingsV1.Asset?
    /// Of a courier: the work group; of a sign-in: what completes it.
    var group: String?
  }

  private let key: SealingKey
  private let nonces = Mutex(NonceSequence())

  init(secret: [UInt8]) { key = SealingKey(secret: secret, name: Array("gateway URLs".utf8)) }

  static var now: Int { time(nil) }

  func seal(_ content: Content) -> String { seal(content.json) }

  /// What a URL stands for; `nil`: it was not sealed here, or is too old.
  func open(_ text: String, for purpose: Content.Purpose) -> Content? {
    guard let content = open(text).flatMap({ Content($0) }),
      content.purpose == purpose, content.expires >= Self.now
    else { return nil }
    return content
  }

  /// Seals what is no URL, under a purpose `p` of its own.
  func seal(_ json: JSONValue) -> String {
    let text = Array(json.description.utf8)
    var bytes = [UInt8](repeating: 0, count: SealingKey.overheadBytes) + text
    let nonce = nonces.withLock { $0.next() }
    bytes.withUnsafeMutableBytes { key.seal($0, nonce) }
    return String(
      Base64.encode(bytes).compactMap {
        switch $0 {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: $0
        }
      }
    )
  }

  /// What was sealed, however old; `nil`: it was not sealed here.
  func open(_ text: String) -> JSONValue? {
    guard let bytes = Base64.decode(text), let opened = key.open(bytes) else { return nil }
    return try? JSONValue(parsing: opened)
  }
}

extension SealedURLs.Content {
  fileprivate var json: JSONValue {
    var (user, api, server, dashboard): (String?, String?, String?, String?)
    switch caller.credential {
    case .claimed(let name): user = name
    case .token(let token, let userToken): (api, user) = (token, userToken)
    case .serverKey(let id): server = id
    case .dashboard(let token): dashboard = token
    }
    return .omittingNil([
      "p": .string(purpose.rawValue),
      "c": .string(database.container),
      "e": .string(database.environment.webName),
      "s": .string(database.scope.webName),
      "t": .integer(expires),
      "a": api.map { .string($0) },
      "u": user.map { .string($0) },
      "k": server.map { .string($0) },
      "d": dashboard.map { .string($0) },
      "h": asset.map { .string(Base64.encode($0.checksum)) },
      "n": asset.map { .integer($0.size) },
      "g": group.map { .string($0) },
      "w": database.user.map { .string($0) },
    ])
  }

  fileprivate init?(_ json: JSONValue) {
    guard let object = json.object,
      let purpose = object["p"]?.string.flatMap(Purpose.init(rawValue:)),
      let container = object["c"]?.string,
      let environment = object["e"]?.string.flatMap({ TidingsV1.Environment(webName: $0[...]) }),
      let scope = object["s"]?.string.flatMap({ TidingsV1.DatabaseScope(webName: $0[...]) }),
      let expires = object["t"]?.number?.exactly(Int.self)
    else { return nil }
    self.purpose = purpose
    self.expires = expires
    database = WebDatabase(
      container: container,
      environment: environment,
      scope: scope,
      user: object["w"]?.string
    )
    let user = object["u"]?.string
    if let id = object["k"]?.string {
      caller = WebCaller(.serverKey(id))
    } else if let token = object["d"]?.string {
      caller = WebCaller(.dashboard(token))
    } else if let api = object["a"]?.string {
      caller = WebCaller(.token(api: api, user: user))
    } else {
      caller = WebCaller(.claimed(user))
    }
    if let checksum = object["h"]?.string.flatMap({ Base64.decode($0) }),
      let size = object["n"]?.number?.exactly(UInt64.self)
    {
      asset = TidingsV1.Asset(checksum: checksum, size: size)
    }
    group = object["g"]?.string
  }
}
