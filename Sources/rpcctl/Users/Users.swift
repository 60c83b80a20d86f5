internal import CommandLineTools
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  /// What is done with users; the caller needs the role `admin`.
  static let userVerbs = [
    createUser, listUsers, showUsers, updateUser, restrictUsers, admitUsers, assignRoles,
    exportUser, eraseUser,
  ]

  private static let displayName = OptionKey<String?>(
    "display-name",
    value: "TEXT",
    "What others see."
  )

  static let publicKeyOption = OptionKey<String?>(
    "public-key",
    value: "KEY|FILE",
    completion: .files,
    "The first key; without one the user cannot call yet."
  )
  static let generateKeyOption = OptionKey<String?>(
    "generate-key",
    value: "FILE",
    completion: .files,
    "Make a key pair in FILE and authorize it; nothing is overwritten."
  )
  private static let roleOption = OptionKey<[String]>(
    list: "role",
    value: "ROLE…",
    takesMany: true,
    "Roles, for example admin or editor."
  )

  private static let createUser = Verb(
    command: Command(
      "users create",
      "Creates a user.",
      operands: "NAME",
      options: [Option](of: publicKeyOption, generateKeyOption, displayName, roleOption)
        + keyOptions + QuotaOptions.options,
      discussion: """
        Users who make the key pair themselves, with `rpcctl keys generate`, send the public part. Quote
        it: it may have characters that mean something to the shell. With --generate-key the pair is
        made here: no file is left when the server creates no user.

        Examples:
          rpcctl users create alice --generate-key alice.key
          rpcctl users create alice --public-key 'Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID'
        """
    ),
    run: { invocation in
      let name = try invocation.requireUser()
      let newKey = try NewUserKey(invocation, user: name)
      let request = TidingsV1.CreateUserRequest(
        name: name,
        publicKey: try newKey.key.map(invocation.publicKey),
        displayName: invocation.arguments[displayName] ?? "",
        roles: invocation.arguments[roleOption],
        quota: QuotaOptions.quota(invocation.arguments)
      )
      let administration = try await invocation.administration()
      let response = try await newKey.withFile {
        try await administration.createUser(request, options: invocation.callOptions)
      }
      return try printAccounts([response.account].compactMap(\.self), invocation.output)
    }
  )

  private static let listUsers = Verb(
    command: Command(
      "users list",
      "Lists all users, sorted by name.",
      discussion: """
        Example:
          rpcctl users list -o table
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      return try printAccounts(try await invocation.allUsers().accounts, invocation.output)
    }
  )

  private static let showUsers = Verb(
    command: Command(
      "users show",
      aliases: ["users get"],
      "Shows users with all that is known of them.",
      operands: "NAME…",
      completion: .live("users"),
      discussion: """
        Example:
          rpcctl users show alice -o json
        """
    ),
    run: { invocation in
      let names = try invocation.requireOperands("user name")
      let response = try await invocation.administration().listUsers(
        .init(userNames: names),
        options: invocation.callOptions
      )
      guard invocation.output.format == .table else {
        return try printAccounts(response.accounts, invocation.output)
      }
      for account in response.accounts { invocation.output.write(text: account.longText) }
      return .success
    }
  )

  private static let noQuota = OptionKey<Bool>(flag: "no-quota", "The server's quota again.")

  private static let updateUser = Verb(
    command: Command(
      "users update",
      "Changes what others see of a user, or the user's own quota.",
      operands: "NAME",
      completion: .live("users"),
      options: [Option](of: displayName) + QuotaOptions.options + [Option](of: noQuota),
      discussion: """
        Of an own quota, all that is not given has no bound.

        Example:
          rpcctl users update alice --display-name 'Alice' --records-max 100000
        """
    ),
    run: { invocation in
      let name = try invocation.requireUser()
      let quota = QuotaOptions.quota(invocation.arguments)
      let removesQuota = invocation.arguments[noQuota]
      guard quota == nil || !removesQuota else {
        throw UsageError("--no-quota and a quota exclude each other")
      }
      let text = invocation.arguments[displayName]
      guard text != nil || quota != nil || removesQuota else {
        throw UsageError("nothing to do: options say what is to change")
      }
      return try await update(
        [
          .init(userName: name, displayName: text, quota: quota, removesQuota: removesQuota)
        ],
        invocation
      )
    }
  )

  private static let restrictUsers = Verb(
    command: Command(
      "users restrict",
      aliases: ["users disable"],
      "Refuses the calls of users from now on.",
      operands: "NAME…",
      completion: .live("users"),
      discussion: """
        What they hear gets new topics and keys. Their data stays; `users admit` takes it back.

        Example:
          rpcctl users restrict alice
        """
    ),
    run: { invocation in
      let names = try invocation.requireOperands("user name")
      return try await update(names.map { .init(userName: $0, restricted: true) }, invocation)
    }
  )

  private static let admitUsers = Verb(
    command: Command(
      "users admit",
      aliases: ["users enable"],
      "Admits the calls of users who were restricted.",
      operands: "NAME…",
      completion: .live("users"),
      discussion: """
        Example:
          rpcctl users admit alice
        """
    ),
    run: { invocation in
      let names = try invocation.requireOperands("user name")
      return try await update(names.map { .init(userName: $0, restricted: false) }, invocation)
    }
  )

  private static let none = OptionKey<Bool>(flag: "none", "The user has no roles any more.")

  private static let assignRoles = Verb(
    command: Command(
      "users roles",
      "Sets the roles of a user: all of them from now on.",
      operands: "NAME [ROLE…]",
      completion: .live("users"),
      options: [Option](of: none),
      discussion: """
        admin may administer, developer may change schemas; any other is a role of the schema of all
        containers, or as CONTAINER/ROLE of one.

        Example:
          rpcctl users roles alice developer default/editor
        """
    ),
    run: { invocation in
      let operands = try invocation.requireOperands("user name")
      let roles = Array(operands.dropFirst())
      guard roles.isEmpty == invocation.arguments[none] else {
        throw UsageError("say which roles, or --none")
      }
      let response = try await invocation.administration().assignRoles(
        .init(userName: operands[0], roles: roles),
        options: invocation.callOptions
      )
      return try printAccounts([response.account].compactMap(\.self), invocation.output)
    }
  )

  private static func update(
    _ requests: [TidingsV1.UpdateUserRequest],
    _ invocation: Invocation
  ) async throws -> ExitCode {
    let administration = try await invocation.administration()
    var accounts: [TidingsV1.Account] = []
    for request in requests {
      let response = try await administration.updateUser(request, options: invocation.callOptions)
      if let account = response.account { accounts.append(account) }
    }
    return try printAccounts(accounts, invocation.output)
  }

  /// Prints users, one a row.
  static func printAccounts(
    _ accounts: [TidingsV1.Account],
    _ output: Output
  ) throws -> ExitCode {
    var results = Results(columns: ["USER", "STATE", "KEYS", "ROLES", "CREATED", "DISPLAY NAME"])
    for account in accounts {
      let usable = account.keys.count { $0.revoked == nil }
      results.append(
        try Contract.json(account),
        [
          account.name, account.restricted == nil ? "admitted" : "restricted", "\(usable)",
          account.roles.joined(separator: " "), account.created?.text ?? "", account.displayName,
        ]
      )
    }
    return results.finish(output)
  }
}

extension Invocation {
  /// The one user that is named.
  fileprivate func requireUser() throws(UsageError) -> String {
    let names = try requireOperands("user name")
    guard names.count == 1 else { throw UsageError("'\(names[1])' is not expected here") }
    return names[0]
  }

  /// The administration of the server.
  func administration() async throws -> TidingsV1.AdminService.Client {
    TidingsV1.AdminService.Client(try await connect().transport)
  }

  /// All users, and the keys of guests.
  func allUsers() async throws -> TidingsV1.ListUsersResponse {
    let administration = try await administration()
    var all = TidingsV1.ListUsersResponse()
    var after = ""
    while true {
      let page = try await administration.listUsers(.init(after: after), options: callOptions)
      if after.isEmpty { all.guestKeys = page.guestKeys }
      all.accounts += page.accounts
      guard page.moreComing, let last = page.accounts.last?.name, last != after else { return all }
      after = last
    }
  }
}

extension TidingsV1.Account {
  /// All that is known, for people.
  fileprivate var longText: String {
    var table = Table(["user", name])
    table.append(["display name", displayName])
    table.append(["created", created?.text ?? ""])
    table.append(["state", restricted.map { "restricted since \($0.text)" } ?? "admitted"])
    table.append(["roles", roles.joined(separator: " ")])
    table.append(["quota", quota.map(QuotaOptions.text) ?? "the server's"])
    for key in keys {
      table.append([
        "key", "\(key.key) \(key.state)" + (key.label.isEmpty ? "" : " (\(key.label))"),
      ])
    }
    return table.description
  }
}
