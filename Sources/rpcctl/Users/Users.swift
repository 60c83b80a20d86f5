internal import CommandLineTools
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  /// The verbs of users, which require the admin role.
  static let userVerbs = [
    createUser, listUsers, showUsers, updateUser, restrictUsers, admitUsers, assignRoles,
    exportUser, eraseUser,
  ]

  private static let displayName = OptionKey<String?>(
    "display-name",
    value: "TEXT",
    mayBeEmpty: true,
    "The name that other users see."
  )

  static let publicKeyOption = OptionKey<String?>(
    "public-key",
    value: "KEY|FILE",
    completion: .files,
    "The user's first key; without one the user cannot connect yet."
  )
  static let generateKeyOption = OptionKey<String?>(
    "generate-key",
    value: "FILE",
    completion: .files,
    "Generate a key pair in FILE, which must not exist, and authorize it."
  )
  private static let roleOption = OptionKey<[String]>(
    list: "role",
    value: "ROLE…",
    takesMany: true,
    "The user's roles, for example admin or editor."
  )

  private static let createUser = Verb(
    command: Command(
      "users create",
      "Create a user.",
      operands: "NAME",
      options: [Option](of: publicKeyOption, generateKeyOption, displayName, roleOption)
        + keyOptions + QuotaOptions.options,
      discussion: """
        Users who generate their key pair themselves, with `rpcctl keys generate`, send the public key.
        Quote it, because it may contain special characters of the shell. With --generate-key the pair is
        generated here, and the file is removed if the user is not created.

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
      "List all users, sorted by name.",
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
      "Show the details of users.",
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

  private static let noQuota = OptionKey<Bool>(
    flag: "no-quota",
    "Reset to the server's default quota."
  )

  private static let updateUser = Verb(
    command: Command(
      "users update",
      "Change the display name or the quota of a user.",
      operands: "NAME",
      completion: .live("users"),
      options: [Option](of: displayName) + QuotaOptions.options + [Option](of: noQuota),
      discussion: """
        Quota options that are not given become unlimited.

        Example:
          rpcctl users update alice --display-name 'Alice' --records-max 100000
        """
    ),
    run: { invocation in
      let name = try invocation.requireUser()
      let quota = QuotaOptions.quota(invocation.arguments)
      let removesQuota = invocation.arguments[noQuota]
      guard quota == nil || !removesQuota else {
        throw UsageError("--no-quota and a quota cannot be combined")
      }
      let text = invocation.arguments[displayName]
      guard text != nil || quota != nil || removesQuota else {
        throw UsageError("nothing to do: use an option for each change")
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
      "Restrict users: refuse their calls from now on.",
      operands: "NAME…",
      completion: .live("users"),
      discussion: """
        Their channels get new topics and keys. Their data is kept; undo it with `users admit`.

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
      "Admit restricted users again.",
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

  private static let none = OptionKey<Bool>(flag: "none", "Remove all roles of the user.")

  private static let assignRoles = Verb(
    command: Command(
      "users roles",
      "Set the roles of a user, replacing previous ones.",
      operands: "NAME [ROLE…]",
      completion: .live("users"),
      options: [Option](of: none),
      discussion: """
        admin may administer, developer may change schemas; other roles are those of the schemas of all
        containers or, as CONTAINER/ROLE, of one container.

        Example:
          rpcctl users roles alice developer default/editor
        """
    ),
    run: { invocation in
      let operands = try invocation.requireOperands("user name")
      let roles = Array(operands.dropFirst())
      guard roles.isEmpty == invocation.arguments[none] else {
        throw UsageError("no roles: name some, or use --none")
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
  /// Returns the one user that the operand names.
  fileprivate func requireUser() throws(UsageError) -> String {
    let names = try requireOperands("user name")
    guard names.count == 1 else { throw UsageError("unexpected operand '\(names[1])'") }
    return names[0]
  }

  /// A client of the server's administration service.
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
  /// The details of a user as a table.
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
