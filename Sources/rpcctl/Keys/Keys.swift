internal import CommandLineTools
internal import TidingsJSON
internal import TidingsKeys
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  /// The verbs of the server's authorized keys, which require the admin role.
  static let keyVerbs = [authorizeKey, revokeKeys, listKeys]

  static let keyLabel = OptionKey<String?>(
    "label",
    value: "TEXT",
    mayBeEmpty: true,
    "A label for the key, for example laptop."
  )
  static let keyExpiry = OptionKey<String?>(
    "expires",
    value: "WHEN",
    "The expiry: a time 2027-01-31T00:00:00Z, or a duration like 12h or 90d."
  )

  /// The options of an authorized key.
  static let keyOptions = [Option](of: keyLabel, keyExpiry)

  private static let user = OptionKey<String?>(
    "user",
    value: "NAME",
    completion: .live("users"),
    "The user who may connect with the key."
  )
  private static let guest = OptionKey<Bool>(
    flag: "guest",
    "Authorize the key for guests, who may read what anyone may read."
  )

  private static let authorizeKey = Verb(
    command: Command(
      "keys authorize",
      "Authorize a key, or change its expiry.",
      operands: "KEY|FILE",
      completion: .files,
      options: [Option](of: user, guest) + keyOptions,
      discussion: """
        FILE is a key file from `rpcctl keys generate`; its public key is used. Without --expires the key
        does not expire, even if it did before. Put a key that starts with '-' after '--'.

        Examples:
          rpcctl keys authorize alice.key --user alice --label phone
          rpcctl keys authorize 'Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID' --user alice
        """
    ),
    run: { invocation in
      let key = try invocation.publicKey(try invocation.requireKeys(max: 1)[0])
      let user = invocation.arguments[user] ?? ""
      guard user.isEmpty == invocation.arguments[guest] else {
        throw UsageError("use either --user NAME or --guest")
      }
      let response = try await invocation.administration().authorizeKey(
        .init(userName: user, publicKey: key),
        options: invocation.callOptions
      )
      let stored = response.account?.keys.first { $0.key == key.key } ?? key
      return try printKeys([(user, stored)], invocation.output)
    }
  )

  private static let revokeKeys = Verb(
    command: Command(
      "keys revoke",
      "Revoke keys permanently, also on open connections.",
      operands: "KEY|FILE…",
      completion: .live("keys"),
      discussion: """
        All channels of the key's user get new topics and keys; the user's other devices adapt by
        themselves. A revoked key cannot be authorized again: generate a new key pair for a device that is
        found again. FILE is a key file.

        Examples:
          rpcctl keys revoke alice.key
          rpcctl keys revoke 'Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID'
        """
    ),
    run: { invocation in
      let keys = try invocation.requireKeys(max: .max)
      try invocation.confirm("permanently revoke \(counted(keys.count, "key"))")
      let administration = try await invocation.administration()
      var results = Results(columns: ["KEY", "USER", "NEW TOPICS"])
      for key in keys {
        let response = try await administration.revokeKey(
          .init(publicKey: "\(key)"),
          options: invocation.callOptions
        )
        let user = response.account?.name ?? ""
        results.append(
          .object([
            "publicKey": .string("\(key)"), "userName": .string(user),
            "rotatedChannelCount": .integer(response.rotatedChannelCount),
          ]),
          ["\(key)", user.isEmpty ? "(guest)" : user, "\(response.rotatedChannelCount)"]
        )
      }
      return results.finish(invocation.output)
    }
  )

  private static let listKeys = Verb(
    command: Command(
      "keys list",
      "List the keys of users (default: of all users).",
      operands: "[NAME…]",
      completion: .live("users"),
      discussion: """
        Only the latest revoked keys of each user are listed.

        Example:
          rpcctl keys list alice -o table
        """
    ),
    run: { invocation in
      let names = invocation.arguments.operands
      let users: TidingsV1.ListUsersResponse
      if names.isEmpty {
        users = try await invocation.allUsers()
      } else {
        users = try await invocation.administration().listUsers(
          .init(userNames: names),
          options: invocation.callOptions
        )
      }
      let keys = users.accounts.flatMap { account in account.keys.map { (account.name, $0) } }
      return try printKeys(keys + users.guestKeys.map { ("", $0) }, invocation.output)
    }
  )

  static func printKeys(
    _ keys: [(user: String, key: TidingsV1.PublicKey)],
    _ output: Output
  ) throws -> ExitCode {
    var results = Results(columns: ["KEY", "USER", "STATE", "LABEL"])
    for (user, key) in keys {
      var object: JSONObject = ["userName": .string(user)]
      for member in try Contract.json(key).object?.members ?? [] {
        object.append(member.name, member.value)
      }
      results.append(
        .object(object),
        [key.key, user.isEmpty ? "(guest)" : user, key.state, key.label]
      )
    }
    return results.finish(output)
  }
}

extension Invocation {
  /// Returns a key with the values of the options.
  func publicKey(_ key: PublicKey) throws(UsageError) -> TidingsV1.PublicKey {
    .init(key: "\(key)", expires: try expires(), label: arguments[Verb.keyLabel] ?? "")
  }

  fileprivate func requireKeys(max: Int) throws -> [PublicKey] {
    let keys = try requireOperands("key")
    guard keys.count <= max else { throw UsageError("unexpected operand '\(keys[max])'") }
    return try keys.map(PublicKey.init(operand:))
  }

  /// Returns the time of `--expires`, which may be relative.
  func expires() throws(UsageError) -> GoogleProtobuf.Timestamp? {
    guard let text = arguments[Verb.keyExpiry] else { return nil }
    if let time = JSONTime(timestamp: text) {
      return .init(seconds: time.seconds, nanos: time.nanoseconds)
    }
    guard let duration = Duration(commandLine: text) else {
      throw UsageError(
        "invalid --expires '\(text)': use a time 2027-01-31T00:00:00Z, or a duration like 12h or 90d"
      )
    }
    var time = wallClock()
    time.seconds += duration.components.seconds
    return time
  }
}

extension TidingsV1.PublicKey {
  /// The state of the key as text.
  var state: String {
    if let revoked { return "revoked \(revoked.text)" }
    guard let expires else { return "admitted" }
    let isOver = wallClock().since(expires) >= .zero
    return isOver ? "expired \(expires.text)" : "valid until \(expires.text)"
  }
}
