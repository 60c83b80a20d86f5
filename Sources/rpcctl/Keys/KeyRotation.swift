internal import CommandLineTools
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsKeys
internal import TidingsProto

extension Verb {
  static let keyRotationVerbs = [rotateKey, fingerprintKey]

  private static let file = OptionKey<String?>(
    "file",
    letter: "O",
    value: "FILE",
    completion: .files,
    "Where the new pair goes; nothing is overwritten."
  )
  private static let overlap = OptionKey<Duration>(
    time: "overlap",
    default: "24h",
    "How long the old key is still admitted: 12h, 7d. With --revoke it is refused at once."
  )
  private static let revoke = OptionKey<Bool>(
    flag: "revoke",
    "Revoke the old key: for one that others may have."
  )

  private static let rotateKey = Verb(
    command: Command(
      "keys rotate",
      "Replaces an admitted key by a new pair, which the server admits for the same user.",
      operands: "KEY|FILE",
      completion: .files,
      options: [Option](of: file, overlap, revoke),
      discussion: """
        The new key gets the old one's label. First it is admitted, then the old one expires, so that
        the user can call at any time; a run that broke off in between is finished by `rpcctl keys
        authorize` with the new file's public key. The caller needs the role admin.

        Example:
          rpcctl keys rotate ~/alice.key -O ~/alice-2.key --overlap 7d
        """
    ),
    dryRun: .byItself,
    run: { invocation in
      let old = try publicKey(ofOperand: invocation)
      guard let path = try invocation.arguments.nonEmpty(file) else {
        throw UsageError("-O FILE says where the new key pair is written")
      }
      let revokes = invocation.arguments[revoke]
      guard !revokes || !invocation.arguments.isGiven(overlap) else {
        throw UsageError("--revoke and --overlap exclude each other")
      }
      let overlap = invocation.arguments[overlap]
      let users = try await invocation.allUsers()
      let (user, entry) = try admitted("\(old)", users)
      let end = revokes ? "revoked" : "refused after \(overlap.shortText)"
      let what =
        "write a new key pair to '\(path)' and admit it for "
        + (user.isEmpty ? "guests" : "'\(user)'") + "; the old key would be \(end)"
      if invocation.wouldOnly(what) { return .success }
      if revokes { try invocation.confirm("revoke the key \(old) for ever") }
      let pair = KeyPair()
      try KeyFile.pair(pair).write(to: path, title: "\(user), made by rpcctl in place of \(old)")
      let administration = try await invocation.administration()
      let options = invocation.callOptions
      let new = TidingsV1.PublicKey(key: "\(pair.publicKey)", label: entry.label)
      var answer = try await administration.authorizeKey(
        .init(userName: user, publicKey: new),
        options: options
      ).account
      if revokes {
        answer = try await administration.revokeKey(.init(publicKey: entry.key), options: options)
          .account
      } else {
        var end = wallClock()
        end.seconds += overlap.components.seconds
        // A key that would expire before does so.
        if let expires = entry.expires, end.since(expires) > .zero { end = expires }
        answer = try await administration.authorizeKey(
          .init(
            userName: user,
            publicKey: .init(key: entry.key, expires: end, label: entry.label)
          ),
          options: options
        ).account
      }
      let both = [new.key, entry.key]
      let stored = answer?.keys.filter { both.contains($0.key) } ?? [new]
      return try printKeys(stored.map { (user, $0) }, invocation.output)
    }
  )

  private static let fingerprintKey = Verb(
    command: Command(
      "keys fingerprint",
      "Prints the fingerprint of a public key, for two people to compare.",
      operands: "KEY|FILE",
      completion: .files,
      discussion: """
        The first 16 bytes of the SHA-256 of the key, in groups of four digits. Needs no server.

        Examples:
          rpcctl keys fingerprint ~/alice.key
          rpcctl keys fingerprint 'Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID'
        """
    ),
    needsServer: false,
    run: { invocation in
      let key = try publicKey(ofOperand: invocation)
      let text = fingerprint(key)
      if invocation.output.format == .table {
        invocation.output.write(text: "\(text)\n")
      } else {
        invocation.output.write(
          .object(["publicKey": .string("\(key)"), "fingerprint": .string(text)])
        )
      }
      return .success
    }
  )

  /// The fingerprint of a key: 32 hexadecimal digits in groups of four.
  static func fingerprint(_ key: PublicKey) -> String {
    let digits = Array(SHA256.checksum(of: key.bytes).hexadecimal.prefix(32))
    return stride(from: 0, to: digits.count, by: 4).map { String(digits[$0..<$0 + 4]) }
      .joined(separator: " ")
  }

  /// The key that the one operand is, or that is in the file of this name.
  private static func publicKey(ofOperand invocation: Invocation) throws -> PublicKey {
    let operands = invocation.arguments.operands
    guard operands.count == 1 else {
      throw UsageError("one public key, or a file that has one, is needed")
    }
    return try PublicKey(operand: operands[0])
  }

  /// Whose key it is, and what the server knows of it.
  private static func admitted(
    _ key: String,
    _ users: TidingsV1.ListUsersResponse
  ) throws -> (user: String, TidingsV1.PublicKey) {
    for account in users.accounts {
      guard let entry = account.keys.first(where: { $0.key == key }) else { continue }
      guard entry.revoked == nil else {
        throw LocalFailure(
          "the key is revoked since \(entry.revoked?.text ?? ""): make a new one with `rpcctl keys generate`"
        )
      }
      return (account.name, entry)
    }
    if let entry = users.guestKeys.first(where: { $0.key == key }) { return ("", entry) }
    throw NotFound("the server does not know this key: `rpcctl keys list` shows all")
  }
}
