internal import TidingsJSON
internal import TidingsProto

/// `{userRecordName, nameComponents, lookupInfo}`.
enum UserDictionary {
  static func identity(_ name: String, displayName: String = "") -> JSONValue {
    var object: JSONObject = ["userRecordName": .string(name)]
    if !displayName.isEmpty { object.append("nameComponents", components(displayName)) }
    return .object(object)
  }

  /// A display name is one text here: its last word counts as the family name.
  static func components(_ displayName: String) -> JSONValue {
    let words = displayName.split(separator: " ")
    var object: JSONObject = [
      "givenName": .string(words.count > 1 ? words.dropLast().joined(separator: " ") : displayName)
    ]
    if words.count > 1, let last = words.last { object.append("familyName", .string(String(last))) }
    return .object(object)
  }

  /// Reads whom to look up.
  static func lookUp(_ input: WebInput) throws(WebFailure) -> TidingsV1.UserLookup {
    try input.check(.lookupInfo)
    if let name = try input.string("userRecordName") { return .init(key: .userRecordName(name)) }
    if let address = try input.string("emailAddress") { return .init(key: .emailAddress(address)) }
    if let number = try input.string("phoneNumber") { return .init(key: .phoneNumber(number)) }
    throw .badRequest(
      "\(input.path) names nobody: send userRecordName, emailAddress or phoneNumber"
    )
  }

  static func json(_ result: TidingsV1.UserResult) -> JSONObject? {
    guard case .user(let user)? = result.outcome else { return nil }
    var object: JSONObject = ["userRecordName": .string(user.userRecordName)]
    if !user.displayName.isEmpty {
      object.append("nameComponents", components(user.displayName))
    }
    switch result.lookup?.key {
    case .userRecordName(let name)?:
      object.append("lookupInfo", ["userRecordName": .string(name)])
    case .emailAddress(let address)?:
      object.append("lookupInfo", ["emailAddress": .string(address)])
    case .phoneNumber(let number)?:
      object.append("lookupInfo", ["phoneNumber": .string(number)])
    case nil: break
    }
    return object
  }
}
