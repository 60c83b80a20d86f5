internal import TidingsJSON
internal import TidingsModel

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
    self.detail =
      detail.utf8.count <= Self.detailBytesMax
      ? detail : String(decoding: detail.utf8.prefix(Self.detailBytesMax), as: UTF8.self) + "…"
  }

  /// The entry without what tells it from those alike.
  var kind: Self {
    var kind = self
    kind.time = Timestamp(millisecondsSince1970: 0)
    kind.count = 0
    return kind
  }

  // MARK: Lines of the file

  /// One line of JSON, with its end.
  var line: [UInt8] {
    let value = JSONValue.omittingNil([
      "time": .string(time.utcText),
      "action": .string(action),
      "result": .string(isRefused ? "refused" : "done"),
      "user": user.isEmpty ? nil : .string(user),
      "key": publicKey.isEmpty ? nil : .string(publicKey),
      "address": address.isEmpty ? nil : .string(address),
      "count": count == 1 ? nil : .integer(count),
      "detail": .string(detail),
    ])
    return value.text() + [UInt8(ascii: "\n")]
  }

  /// What a line says; `nil`: it is none of ours, for example one that was cut by a crash.
  init?(line: [UInt8]) {
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
  }
}
