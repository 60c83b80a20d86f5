internal import CommandLineTools
internal import TidingsJSON
internal import TidingsKeys
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  /// What is done with the keys that a server admits; the caller needs the role `admin`.
  static let keyVerbs = [authorizeKey, revokeKeys, listKeys]

  static let keyLabel = OptionKey<String?>(
    "label",
    value: "TEXT",
    "What the key is for, for example laptop."
  )
  static let keyExpiry = OptionKey<String?>(
    "expires",
    value: "WHEN",
    "The key is refused from then on: 2027-01-31T00:00:00Z, or after a time like 12h or 90d."
  )

  /// What is said of a key that is admitted.
  static let keyOptions = [Option](of: keyLabel, keyExpiry)

  private static let user = OptionKey<String?>(
    "user",
    value: "NAME",
    completion: .live("users"),
    "Whose key it is."
  )
  private static let guest = OptionKey<Bool>(
    flag: "guest",
    "A key without a user: it may read what anyone may read."
  )

  private static let authorizeKey = Verb(
    command: Command(
      "keys authorize",
      "Admits a key, or changes when it expires.",
      operands: "KEY|FILE",
      completion: .files,
      options: [Option](of: user, guest) + keyOptions,
      discussion: """
        FILE is a key file, as `rpcctl keys generate` writes it: its public key counts. A key without
        --expires does not expire, even if it did before. A key that begins with '-' goes after '--'.

        Examples:
          rpcctl keys authorize alice.key --user alice --label phone
          rpcctl keys authorize 'Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID' --user alice
        """
    ),
    run: { invocation in
      let key = try invocation.publicKey(try invocation.requireKeys(max: 1)[0])
      let user = invocation.arguments[user] ?? ""
      guard user.isEmpty == invocation.arguments[guest] else {
        throw UsageError("--user says whose key it is; --guest, that it is nobody's")
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
      "Refuses keys for ever, from the next call on, also on connections that are open.",
      operands: "KEY|FILE…",
      completion: .live("keys"),
      discussion: """
        All that the key's user hears gets new topics and keys; the user's other devices notice by
        themselves. A key cannot be admitted again: for a device that comes back make a new pair. FILE
        is a key file.

        Examples:
          rpcctl keys revoke alice.key
          rpcctl keys revoke 'Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID'
        """
    ),
    run: { invocation in
      let keys = try invocation.requireKeys(max: .max)
      try invocation.confirm("refuse \(counted(keys.count, "key")) for ever")
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
      "Lists keys: all of them, or those of users.",
      operands: "[NAME…]",
      completion: .live("users"),
      discussion: """
        Of the revoked keys of a user the newest are listed.

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
  /// A key with what the options say of it.
  func publicKey(_ key: PublicKey) throws(UsageError) -> TidingsV1.PublicKey {
    .init(key: "\(key)", expires: try expires(), label: arguments[Verb.keyLabel] ?? "")
  }

  fileprivate func requireKeys(max: Int) throws -> [PublicKey] {
    let keys = try requireOperands("key")
    guard keys.count <= max else { throw UsageError("'\(keys[max])' is not expected here") }
    return try keys.map(PublicKey.init(operand:))
  }

  /// What `--expires` says: a time, or one from now.
  func expires() throws(UsageError) -> GoogleProtobuf.Timestamp? {
    guard let text = arguments[Verb.keyExpiry] else { return nil }
    if let time = JSONTime(timestamp: text) {
      return .init(seconds: time.seconds, nanos: time.nanoseconds)
    }
    guard let duration = Duration(commandLine: text) else {
      throw UsageError(
        "--expires takes 2027-01-31T00:00:00Z, or a time like 12h or 90d, not '\(text)'"
      )
    }
    var time = wallClock()
    time.seconds += duration.components.seconds
    return time
  }
}

extension TidingsV1.PublicKey {
  /// Whether it is good, for people.
  var state: String {
    if let revoked { return "revoked \(revoked.text)" }
    guard let expires else { return "admitted" }
    let isOver = wallClock().since(expires) >= .zero
    return isOver ? "expired \(expires.text)" : "admitted until \(expires.text)"
  }
}
