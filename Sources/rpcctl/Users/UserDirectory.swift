internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  /// The verbs of the directory of a container.
  static let directoryVerbs = [publishUser, showPublished, withdrawUser, findUsers]

  private static let displayNameOption = OptionKey<String?>(
    "display-name",
    value: "TEXT",
    mayBeEmpty: true,
    "The name that other users see (default: that of the account)."
  )
  private static let email = OptionKey<String?>(
    "email",
    value: "ADDRESS",
    "An e-mail address by which other users find the caller."
  )
  private static let phone = OptionKey<String?>(
    "phone",
    value: "NUMBER",
    "A phone number with + and the country code."
  )

  private static let publishUser = Verb(
    command: Command(
      "users publish",
      aliases: ["users discoverable"],
      "Publish the caller in the container's directory.",
      options: [Option](of: displayNameOption, email, phone),
      discussion: """
        Every user of the container can see record name and display name. Address and number are not
        shown, but users who know one can find the caller by it. Replaces what was published before. Each
        environment has its own directory.

        Example:
          rpcctl users publish --display-name 'Ada L.' --email ada@example.com
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      return try await update(
        .init(
          displayName: invocation.arguments[displayNameOption] ?? "",
          emailAddress: invocation.arguments[email] ?? "",
          phoneNumber: invocation.arguments[phone] ?? ""
        ),
        invocation
      )
    }
  )

  private static let withdrawUser = Verb(
    command: Command(
      "users withdraw",
      "Remove the caller from the container's directory.",
      discussion: """
        Example:
          rpcctl users withdraw
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      return try await update(nil, invocation)
    }
  )

  private static let showPublished = Verb(
    command: Command(
      "users published",
      "Show the caller's entry in the container's directory.",
      discussion: """
        Example:
          rpcctl users published -o json
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let settings = invocation.settings
      let response = try await invocation.accounts().fetchDirectoryEntry(
        .init(container: settings.container, environment: settings.environment),
        options: invocation.callOptions
      )
      return try printEntry(response.entry, invocation.output)
    }
  )

  private static let emails = OptionKey<[String]>(
    list: "email",
    value: "ADDRESS…",
    takesMany: true,
    "E-mail addresses to look up."
  )
  private static let phones = OptionKey<[String]>(
    list: "phone",
    value: "NUMBER…",
    takesMany: true,
    "Phone numbers to look up."
  )

  private static let findUsers = Verb(
    command: Command(
      "users find",
      "Find users by record name, address or number (default: list the directory).",
      operands: "[NAME…]",
      options: [Option](of: emails, phones),
      discussion: """
        By record name, users who are not in the directory are found, too, without their display names.

        Example:
          rpcctl users find --email ada@example.com -o table
        """
    ),
    run: { invocation in
      let arguments = invocation.arguments
      let lookups =
        arguments.operands.map { TidingsV1.UserLookup(key: .userRecordName($0)) }
        + arguments[emails].map { .init(key: .emailAddress($0)) }
        + arguments[phones].map { .init(key: .phoneNumber($0)) }
      guard !lookups.isEmpty else { return try await listDirectory(invocation) }
      let response = try await invocation.accounts().fetchUsers(
        .init(
          container: invocation.settings.container,
          environment: invocation.settings.environment,
          lookups: lookups
        ),
        options: invocation.callOptions
      )
      var results = Results(columns: userColumns)
      for result in response.results {
        switch result.outcome {
        case .user(let user)?: results.append(try Contract.json(user), row(user))
        case .error(let error)?:
          results.appendFailure(
            try Contract.json(result),
            [result.lookup?.text ?? "", "", error.message]
          )
        case nil: break
        }
      }
      return results.finish(invocation.output)
    }
  )

  private static let userColumns = ["USER", "DISCOVERABLE", "DISPLAY NAME"]

  private static func row(_ user: TidingsV1.User) -> [String] {
    [user.userRecordName, user.discoverable ? "yes" : "no", user.displayName]
  }

  private static func listDirectory(_ invocation: Invocation) async throws -> ExitCode {
    let accounts = try await invocation.accounts()
    var results = Results(columns: userColumns)
    var request = TidingsV1.ListDirectoryRequest(
      container: invocation.settings.container,
      environment: invocation.settings.environment
    )
    while true {
      let page = try await accounts.listDirectory(request, options: invocation.callOptions)
      for user in page.users { results.append(try Contract.json(user), row(user)) }
      guard page.moreComing, let last = page.users.last?.userRecordName, last > request.after else {
        return results.finish(invocation.output)
      }
      request.after = last
    }
  }

  private static func update(
    _ entry: TidingsV1.DirectoryEntry?,
    _ invocation: Invocation
  ) async throws -> ExitCode {
    let response = try await invocation.accounts().updateDirectoryEntry(
      .init(
        container: invocation.settings.container,
        environment: invocation.settings.environment,
        entry: entry
      ),
      options: invocation.callOptions
    )
    return try printEntry(response.entry, invocation.output)
  }

  private static func printEntry(
    _ entry: TidingsV1.DirectoryEntry?,
    _ output: Output
  ) throws -> ExitCode {
    guard output.format == .table else {
      var object = try entry.map { try Contract.json($0).object ?? [:] } ?? [:]
      object["discoverable"] = .bool(entry != nil)
      output.write(.object(object))
      return .success
    }
    guard let entry else {
      output.write(text: "not in the directory\n")
      return .success
    }
    var table = Table(["discoverable", "yes"])
    table.append(["display name", entry.displayName])
    table.append(["e-mail address", entry.emailAddress])
    table.append(["phone number", entry.phoneNumber])
    output.write(table)
    return .success
  }
}

extension Invocation {
  /// A client of the server's account service.
  func accounts() async throws -> TidingsV1.AccountService.Client {
    TidingsV1.AccountService.Client(try await connect().transport)
  }
}

extension TidingsV1.UserLookup {
  /// The name, address or number.
  fileprivate var text: String {
    switch key {
    case .userRecordName(let text)?, .emailAddress(let text)?, .phoneNumber(let text)?: text
    case nil: ""
    }
  }
}
