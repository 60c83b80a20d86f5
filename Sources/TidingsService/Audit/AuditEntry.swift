internal import TidingsAudit
internal import TidingsJSON
internal import TidingsModel
internal import TidingsZeroMQ

/// An administrative or a refused action, as it is kept in the audit log.
struct AuditEntry: Hashable, Sendable {
  /// Longest detail, in bytes.
  static let detailBytesMax = 400

  /// When; of several that are alike, the first.
  var time: Timestamp
  /// What was done or refused, for example `RevokeKey`, `handshake`.
  var action: String
  /// Who; empty: not known.
  var user = ""
  /// By which key, Z85; empty: none.
  var publicKey = ""
  /// From where, as far as it is known.
  var address = ""
  /// It was refused.
  var isRefused: Bool
  /// How often.
  var count: UInt64 = 1
  /// What it was about and why, for people; never a secret.
  var detail: String
  /// Whose files it is kept in.
  var kind: AuditKind

  /// An entry; a long detail is cut.
  init(
    _ action: String,
    user: String = "",
    publicKey: String = "",
    address: String = "",
    isRefused: Bool,
    detail: String,
    time: Timestamp = .now
  ) {
    self.time = time
    self.action = action
    self.user = user
    self.publicKey = publicKey
    self.address = address
    self.isRefused = isRefused
    kind = isRefused ? .refusals : .administration
    self.detail =
      detail.utf8.count <= Self.detailBytesMax
      ? detail : String(decoding: detail.utf8.prefix(Self.detailBytesMax), as: UTF8.self) + "…"
  }

  /// The entry without what distinguishes it from similar ones.
  var withoutTime: Self {
    var entry = self
    entry.time = Timestamp(millisecondsSince1970: 0)
    entry.count = 0
    return entry
  }

  /// Who caused it, as far as that is not for the caller to choose: the user, else the network (IPv6: all
  /// addresses of a /64 are one), else the key.
  var source: [UInt8] {
    guard user.isEmpty else { return Array("user \(user)".utf8) }
    return address.isEmpty ? Array(publicKey.utf8) : RefusalThrottle.network(of: address)
  }

  // MARK: Lines of the file

  /// One line of JSON, with its end.
  ///
  /// - Parameter link: Its place in the chain; `nil`: it has none.
  /// - Returns: The line.
  func line(_ link: ChainLink? = nil) -> [UInt8] {
    let value = JSONValue.omittingNil([
      "time": .string(time.iso8601),
      "action": .string(action),
      "result": .string(isRefused ? "refused" : "done"),
      "user": user.isEmpty ? nil : .string(user),
      "key": publicKey.isEmpty ? nil : .string(publicKey),
      "address": address.isEmpty ? nil : .string(address),
      "count": count == 1 ? nil : .integer(count),
      "detail": .string(detail),
    ])
    let text = value.text() + [UInt8(ascii: "\n")]
    return link.map { $0.text + text.dropFirst() } ?? text
  }

  /// What a line says; `nil`: it is none of ours, for example one that was cut by a crash.
  ///
  /// - Parameters:
  ///   - line: The line, with or without its end.
  ///   - kind: Whose files it is from.
  init?(line: [UInt8], kind: AuditKind) {
    guard let object = (try? JSONValue(parsing: line))?.object,
      let time = object["time"]?.string.flatMap(Timestamp.init(utcText:)),
      let action = object["action"]?.string
    else { return nil }
    self.time = time
    self.action = action
    user = object["user"]?.string ?? ""
    publicKey = object["key"]?.string ?? ""
    address = object["address"]?.string ?? ""
    isRefused = object["result"]?.string == "refused"
    count = object["count"]?.number?.exactly() ?? 1
    detail = object["detail"]?.string ?? ""
    self.kind = kind
  }
}
