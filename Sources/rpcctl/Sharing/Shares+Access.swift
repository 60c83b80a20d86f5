internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

/// Verbs for owners of a share, and for its administrators with `--database shared`.
extension Verb {
  static let sharesRequestAccess = Verb(
    command: Command(
      "shares request-access",
      "Request access to shares.",
      operands: "URL…",
      discussion: """
        For users who have the URL but may not join. A denial is not reported to the user.

        Example:
          rpcctl shares request-access --as dave tidings://share/home/development/AbCdEf
        """
    ),
    run: { invocation in
      let urls = try invocation.requireOperands("URL")
      var results = Results(columns: ["URL", "RESULT"])
      for result in try await shares(invocation).requestAccess(urls) {
        if let error = result.error {
          results.appendFailure(
            .object(["url": .string(result.url), "error": error.json]),
            [result.url, error.text]
          )
        } else {
          results.append(
            .object(["url": .string(result.url), "requested": .bool(true)]),
            [result.url, "requested"]
          )
        }
      }
      return results.finish(invocation.output)
    }
  )

  static let sharesRequests = Verb(
    command: Command(
      "shares requests",
      "List access requests of a share, and blocked users.",
      options: shareOptions,
      discussion: """
        Examples:
          rpcctl shares requests --as ada --zone family -o table
          rpcctl shares requests --as bob --database shared --zone ada/family
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let shares = try await shares(invocation)
      let id = try await shareID(invocation, shares)
      let share = try await shares.share(id).share ?? .init()
      var results = Results(columns: ["USER", "STATE", "SINCE"])
      for requester in share.requesters {
        let since = requester.requested?.text ?? ""
        results.append(
          .object([
            "userRecordName": .string(requester.userRecordName), "state": .string("waiting"),
            "requested": .string(since),
          ]),
          [requester.userRecordName, "waiting", since]
        )
      }
      for user in share.blockedUserRecordNames {
        results.append(
          .object(["userRecordName": .string(user), "state": .string("blocked")]),
          [user, "blocked", ""]
        )
      }
      return results.finish(invocation.output)
    }
  )

  static let sharesGrant = Verb(
    command: Command(
      "shares grant",
      "Grant users access to a share that they requested.",
      operands: "USER[:PERMISSION]…",
      options: shareOptions,
      discussion: """
        The default permission is read-only. The users join with `shares accept`.

        Example:
          rpcctl shares grant --as ada --zone family dave:read-write
        """
    ),
    run: { invocation in
      let wanted = try invocation.requireOperands("USER").map(participant)
      return try await change(invocation) { share in
        for participant in wanted {
          share.grantAccess(to: [participant.userRecordName], participant.permission)
        }
      }
    }
  )

  static let sharesDeny = answer(
    "deny",
    "Deny access requests of users, who may ask again later."
  ) { $0.denyAccess(to: $1) }

  static let sharesBlock = answer(
    "block",
    "Block users from requesting access to a share, and from joining it with its URL."
  ) { $0.block($1) }

  static let sharesUnblock = answer(
    "unblock",
    "Allow blocked users to request access to a share again."
  ) { $0.unblock($1) }

  private static func answer(
    _ name: String,
    _ abstract: String,
    _ change: @escaping @Sendable (inout TidingsV1.Share, _ users: [String]) -> Void
  ) -> Verb {
    Verb(
      command: Command(
        "shares \(name)",
        abstract,
        operands: "USER…",
        options: shareOptions,
        discussion: """
          Example:
            rpcctl shares \(name) --as ada --zone family dave
          """
      ),
      run: { invocation in
        let users = try invocation.requireOperands("USER")
        return try await Verb.change(invocation) { change(&$0, users) }
      }
    )
  }

  static let sharesSetRequests = Verb(
    command: Command(
      "shares set-requests",
      "Allow or forbid access requests for a share.",
      operands: "on|off",
      options: shareOptions,
      discussion: """
        With on, users who have the URL but may not join can run `shares request-access`.

        Example:
          rpcctl shares set-requests --as ada --zone family on
        """
    ),
    run: { invocation in
      let operands = try invocation.requireOperands("on or off")
      guard operands.count == 1, ["on", "off"].contains(operands[0]) else {
        throw UsageError("expected on or off, not '\(operands.joined(separator: " "))'")
      }
      let allows = operands[0] == "on"
      return try await change(invocation) { $0.allowsAccessRequests = allows }
    }
  )

  static let sharesSetRole = Verb(
    command: Command(
      "shares set-role",
      "Set the role of participants of a share.",
      operands: "ROLE USER…",
      options: shareOptions,
      discussion: """
        ROLE is administrator or user. Administrators read and write, and with --database shared they
        change the share like its owner, but can neither end it nor appoint administrators.

        Example:
          rpcctl shares set-role --as ada --zone family administrator bob
        """
    ),
    run: { invocation in
      let operands = try invocation.requireOperands("ROLE")
      let roles = ["administrator": true, "user": false]
      guard let isAdministrator = roles[operands[0]] else {
        throw UsageError("invalid role '\(operands[0])': use administrator or user")
      }
      let users = Array(operands.dropFirst())
      guard !users.isEmpty else { throw UsageError("expected at least one USER") }
      let shares = try await shares(invocation)
      let id = try await shareID(invocation, shares)
      let known = Set(try await shares.share(id).share?.participants.map(\.userRecordName) ?? [])
      if let unknown = users.first(where: { !known.contains($0) }) {
        throw UsageError(
          "'\(printable(unknown))' is not a participant: invite the user with `shares add`"
        )
      }
      let changed = try await shares.change(id) {
        $0.setAdministrators(users, to: isAdministrator)
      }
      return printShare(changed, invocation.output)
    }
  )

  private static let expires = OptionKey<String?>(
    "expires",
    value: "WHEN",
    "The expiry of the URL: a time 2027-01-31T00:00:00Z, or a duration like 12h or 7d."
  )

  static let sharesInvite = Verb(
    command: Command(
      "shares invite",
      "Create a one-time URL, with which one user can join a share.",
      operands: "[PERMISSION]",
      options: shareOptions + [Option](of: expires),
      discussion: """
        The printed URL is valid for one user, who joins with `shares accept`. `shares show` prints it
        again, and `shares remove` withdraws it. The default permission is read-only. To invite a user by
        name, use `shares add`.

        Examples:
          rpcctl shares invite --as ada --zone family
          rpcctl shares invite --as ada --zone family read-write --expires 7d
        """
    ),
    run: { invocation in
      let operands = invocation.arguments.operands
      guard operands.count <= 1 else {
        throw UsageError(
          "expected one PERMISSION, not \(operands.count): to invite users by name, use `shares add`"
        )
      }
      let permission = try permission(operands.first ?? "read-only")
      guard permission != .none else {
        throw UsageError("invalid permission 'none': use read-only or read-write")
      }
      let expires = try invocation.expires()
      let participantID = TidingsV1.Share.randomInvitationID()
      let shares = try await shares(invocation)
      let id = try await shareID(invocation, shares)
      let share = try await shares.change(id) { share in
        share.addInvitation(id: participantID, permission, expires: expires)
      }.share
      let made = share?.participants.first { $0.participantID == participantID } ?? .init()
      var results = Results(columns: ["ID", "PERMISSION", "EXPIRES", "URL"])
      results.append(
        ShareJSON.json(made),
        [participantID, ShareJSON.name(made.permission), made.expires?.text ?? "", made.oneTimeURL]
      )
      return results.finish(invocation.output)
    }
  )
}
