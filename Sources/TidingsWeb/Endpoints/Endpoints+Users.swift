internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension WebEndpoints {
  /// The archive has the identity in an array, the service at the top: clients of either find it.
  static let caller = WebEndpoint(.nothing) { call in
    let name = try await userRecordName(call)
    var object: JSONObject = ["userRecordName": .string(name)]
    let displayName = try await displayName(of: name, call)
    if !displayName.isEmpty {
      object.append("nameComponents", UserDictionary.components(displayName))
    }
    object.append("users", .array([.object(object)]))
    return object
  }

  /// Deprecated by CloudKit in favour of `users/caller`.
  static let currentUser = WebEndpoint(.nothing) { call in
    let name = try await userRecordName(call)
    var object: JSONObject = ["userRecordName": .string(name)]
    let displayName = try await displayName(of: name, call)
    if !displayName.isEmpty, let names = UserDictionary.components(displayName).object {
      if let given = names["givenName"] { object.append("firstName", given) }
      if let family = names["familyName"] { object.append("lastName", family) }
    }
    return object
  }

  /// A POST looks users up; contacts, which a GET asks for, there are none.
  static let discoverUsers = WebEndpoint(.lookupInfos) { call in
    var lookups: [TidingsV1.UserLookup] = []
    for input in try call.input.objects("lookupInfos") {
      lookups.append(try UserDictionary.lookUp(input))
    }
    return try await users(lookups, call)
  }

  static let lookUpUsers = WebEndpoint(.users) { call in
    var lookups: [TidingsV1.UserLookup] = []
    for input in try call.input.objects("users") {
      lookups.append(try UserDictionary.lookUp(input))
    }
    return try await users(lookups, call)
  }

  private static func users(
    _ lookups: [TidingsV1.UserLookup],
    _ call: WebCall
  ) async throws -> JSONObject {
    guard !lookups.isEmpty else { return ["users": .array([])] }
    let response = try await call.accounts.fetchUsers(
      .init(
        container: call.database.container,
        environment: call.database.environment,
        lookups: lookups
      ),
      options: call.options
    )
    return [
      "users": .array(response.results.compactMap { UserDictionary.json($0).map { .object($0) } })
    ]
  }

  private static func userRecordName(_ call: WebCall) async throws -> String {
    let name = try await call.accounts.fetchUserRecordID(
      .init(container: call.database.container),
      options: call.options
    ).userRecordName
    guard !name.isEmpty else {
      throw WebFailure(.authenticationRequired, "nobody has signed in")
    }
    return name
  }

  private static func displayName(of name: String, _ call: WebCall) async throws -> String {
    let response = try await call.accounts.fetchUsers(
      .init(
        container: call.database.container,
        environment: call.database.environment,
        lookups: [.init(key: .userRecordName(name))]
      ),
      options: call.options
    )
    guard case .user(let user)? = response.results.first?.outcome else { return "" }
    return user.displayName
  }
}
