/// Facts about a call or a response: keys in lower case, each once.
public struct Metadata: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  /// In the order of insertion.
  public private(set) var entries: [(key: String, value: String)]

  /// No entries.
  public init() { entries = [] }

  /// Entries from a literal.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init()
    for (key, value) in elements { self[key] = value }
  }

  /// The value of a key; setting `nil` removes it.
  public subscript(key: String) -> String? {
    get { entries.first { $0.key == key }?.value }
    set {
      let index = entries.firstIndex { $0.key == key }
      switch (index, newValue) {
      case (let index?, let value?): entries[index].value = value
      case (let index?, nil): entries.remove(at: index)
      case (nil, let value?): entries.append((key, value))
      case (nil, nil): break
      }
    }
  }

  /// No entries.
  public var isEmpty: Bool { entries.isEmpty }

  /// The same entries, in whatever order.
  public static func == (a: Self, b: Self) -> Bool {
    a.entries.count == b.entries.count && a.entries.allSatisfy { b[$0.key] == $0.value }
  }

  /// Independent of the order.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(Dictionary(entries.map { ($0.key, $0.value) }) { a, _ in a })
  }

  /// The user that calls, in development mode.
  public static let userKey = "tidings-user"
  /// The device that calls, in development mode.
  public static let deviceKey = "tidings-device"
  /// The API token of a caller on the web, from a gateway.
  public static let apiTokenKey = "tidings-api-token"
  /// The web auth token of a caller on the web, from a gateway, beside the API token.
  public static let webAuthTokenKey = "tidings-web-auth-token"
  /// The ID of the request that led to the call, for logs and traces: 1 to 128 visible ASCII characters.
  public static let requestIDKey = "tidings-request-id"
  /// The span that the call is a part of, as W3C's Trace Context has it.
  public static let traceParentKey = "traceparent"
  /// The ID of the server key that signed a request on the web, from a gateway that verified it.
  public static let serverKeyKey = "tidings-server-key"
}
