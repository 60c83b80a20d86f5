internal import TidingsJSON

/// Removes secrets from messages before they are shown.
enum Redaction {
  /// Returns a message without its secrets.
  static func redacted(_ value: JSONValue) -> JSONValue {
    if let list = value.array { return .array(list.map(redacted)) }
    guard let object = value.object else { return value }
    var result = JSONObject()
    for member in object.members {
      result.append(
        member.name,
        isSecret(member.name) ? .string("(redacted)") : redacted(member.value)
      )
    }
    return .object(result)
  }

  /// Words in the names of secret fields.
  private static let words = ["authorization", "secret", "password", "privatekey", "channelkey"]
  /// Names of fields and metadata that are secret though their parts are not.
  private static let names = [
    "apitoken", "webauthtoken", "usercode", "devicetoken", "registrationtoken",
  ]

  private static func isSecret(_ name: String) -> Bool {
    let name = name.lowercased()
    if ["publickey", "idempotencykey"].contains(name) { return false }
    return names.contains(name) || words.contains(where: name.contains) || name.hasSuffix("key")
      || name.hasSuffix("-token")
  }
}
