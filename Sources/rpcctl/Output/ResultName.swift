internal import TidingsJSON

/// The identifier of a result, for `--output name`.
enum ResultName {
  /// Members that identify an object, the most specific first.
  private static let members = [
    "leaseId", "notificationId", "subscriptionId", "recordName", "zoneName", "publicKey", "key",
    "keyId", "checksum", "userName", "url", "name", "id",
  ]

  /// Returns the identifier of a result, if it has one.
  static func name(of value: JSONValue) -> String? {
    guard let object = value.object else { return value.string }
    // A web credential, which may also have a user and a key ID.
    if object["allowedOrigins"] != nil || object["apiTokenId"] != nil || object["keyId"] != nil,
      let id = object["id"]?.string
    {
      return id
    }
    for member in members {
      guard let name = object[member]?.string, !name.isEmpty else { continue }
      if member == "zoneName", let owner = object["ownerName"]?.string, !owner.isEmpty {
        return "\(owner)/\(name)"
      }
      return name
    }
    return nil
  }
}
