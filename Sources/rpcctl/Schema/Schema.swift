internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let schemaVerbs = [
    getSchema, applySchema, diffSchema, validateSchema, deploySchema, resetSchema,
  ]

  private static let indexes = OptionKey<Bool>(
    flag: "indexes",
    "Print the indexes and their state instead."
  )

  private static let getSchema = Verb(
    command: Command(
      "schema get",
      "Print the schema of the container: types, fields, indexes, grants.",
      options: [Option](of: indexes),
      discussion: """
        Examples:
          rpcctl --as admin schema get > houses.ckdb
          rpcctl --as admin schema get --environment production -o json
          rpcctl --as admin schema get --indexes

        Without --output, the schema is printed in the schema language.
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let response = try await invocation.fetchSchema()
      if invocation.arguments[indexes] {
        return SchemaResults.print(response.indexes, invocation.output)
      }
      if invocation.output.asksForData {
        invocation.output.write(SchemaResults.json(response))
      } else {
        invocation.output.write(text: response.text)
      }
      return .success
    }
  )

  private static let applySchema = Verb(
    command: Command(
      "schema apply",
      "Apply a schema file to the development environment.",
      operands: "FILE",
      completion: .files,
      discussion: """
        Prints the changes; FILE - is standard input. Changes that would lose data are rejected: a type or
        field that production has, or that records use, cannot be removed or change its type.

        Examples:
          rpcctl --as admin schema apply houses.ckdb --dry-run
          rpcctl --as admin schema get | rpcctl --as admin --container copy schema apply -
        """
    ),
    run: { invocation in
      let changes = try await apply(invocation, dryRun: invocation.isDryRun)
      return SchemaResults.print(changes, invocation.output)
    }
  )

  private static let diffSchema = Verb(
    command: Command(
      "schema diff",
      "Show the changes that `schema apply` would make.",
      operands: "FILE",
      completion: .files,
      discussion: """
        Exits with 0 if nothing would change, and with 3 otherwise; FILE - is standard input.

        Example:
          rpcctl --as admin schema diff houses.ckdb
        """
    ),
    run: { invocation in
      let changes = try await apply(invocation, dryRun: true)
      _ = SchemaResults.print(changes, invocation.output)
      return changes.isEmpty ? .success : .conditionNotMet
    }
  )

  private static let validateSchema = Verb(
    command: Command(
      "schema validate",
      "Check the syntax of a schema file, without a server.",
      operands: "FILE",
      completion: .files,
      discussion: """
        Exits with 1 if the schema is invalid, after printing line, column and error. FILE - is standard
        input. To check it against the container, use `schema apply --dry-run`.

        Example:
          rpcctl schema validate houses.ckdb
        """
    ),
    needsServer: false,
    run: { invocation in
      let (name, text) = try schemaText(invocation)
      let counts = try SchemaFile.counts(text, name: name)
      if invocation.output.format == .table {
        invocation.output.log("\(name) is valid: \(counts.text)")
      } else {
        invocation.output.write(counts.json)
      }
      return .success
    }
  )

  private static let deploySchema = Verb(
    command: Command(
      "schema deploy",
      aliases: ["schema promote"],
      "Deploy the development schema to production.",
      discussion: """
        Prints the changes. Types, fields, indexes, roles and grants are copied, but no records. The first
        deployment creates the container in production. Later, types and fields in production cannot be
        removed or change their type. On a server with keys, this and `schema apply` require the role
        `developer` or `admin` (`rpcctl users roles`).

        Examples:
          rpcctl --as admin schema deploy --dry-run
          rpcctl --as admin schema deploy
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let response = try await schemas(invocation).deploySchema(
        .init(
          container: invocation.settings.container,
          dryRun: invocation.isDryRun
        ),
        options: invocation.callOptions
      )
      return SchemaResults.print(
        response.changes,
        withoutChanges: withoutChanges(invocation),
        invocation.output
      )
    }
  )

  private static let noWait = OptionKey<Bool>(
    flag: "no-wait",
    "Do not wait until everything is removed."
  )

  private static let resetSchema = Verb(
    command: Command(
      "schema reset",
      "Reset development to production's schema, and delete all its data.",
      options: [Option](of: noWait),
      discussion: """
        Deletes the zones, records, shares and subscriptions of all users in development, and replaces its
        schema by production's; production is not affected. Prints the changes of the schema; --dry-run
        only prints them. Until all data is deleted, calls to development fail with ZONE_BUSY. Without a
        terminal, --yes is required. Requires the admin role.

        Examples:
          rpcctl schema reset --dry-run
          rpcctl schema reset --container shop --yes
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let container = invocation.settings.container
      guard invocation.settings.environment != .production else {
        throw UsageError("production cannot be reset: omit --environment")
      }
      let named = container.isEmpty ? "default" : container
      try invocation.confirm(
        "delete all data of all users in the development environment of container '\(printable(named))'",
        unasked: .refuses
      )
      let administration = try await invocation.administration()
      let first = try await administration.resetDevelopment(
        .init(container: container, dryRun: invocation.isDryRun),
        options: invocation.callOptions
      )
      let would = invocation.isDryRun ? "would be " : ""
      invocation.output.log(
        "\(counted(Int(first.databaseCount), "database")) with data \(would)deleted"
      )
      var isRunning = first.isRunning && !invocation.isDryRun
      let end = invocation.settings.timeout.map { ContinuousClock.now.advanced(by: $0) }
      while isRunning, !invocation.arguments[noWait], end.map({ $0 > .now }) ?? true {
        try await Task.sleep(for: .milliseconds(100))
        isRunning = try await administration.resetDevelopment(
          .init(container: container, dryRun: true),
          options: invocation.callOptions
        ).isRunning
      }
      if isRunning { invocation.output.log("the server continues deleting") }
      return SchemaResults.print(first.changes, invocation.output)
    }
  )

  /// Prints the result of a deployment without changes.
  private static func withoutChanges(_ invocation: Invocation) -> String {
    let container = "container '\(invocation.settings.container)'"
    return invocation.isDryRun
      ? "no changes; deploying would create \(container) in production"
      : "no changes; \(container) exists in production with this schema"
  }

  private static func schemas(
    _ invocation: Invocation
  ) async throws -> TidingsV1.SchemaService.Client {
    TidingsV1.SchemaService.Client(try await invocation.connect().transport)
  }

  private static func apply(
    _ invocation: Invocation,
    dryRun: Bool
  ) async throws -> [TidingsV1.SchemaChange] {
    guard invocation.settings.environment != .production else {
      throw UsageError(
        "schemas can be applied to development only: deploy to production with "
          + "rpcctl schema deploy"
      )
    }
    let (_, text) = try schemaText(invocation)
    return try await schemas(invocation).applySchema(
      .init(container: invocation.settings.container, text: text, dryRun: dryRun),
      options: invocation.callOptions
    ).changes
  }

  /// Returns the text of the one operand, and its name for messages.
  static func schemaText(_ invocation: Invocation) throws -> (name: String, text: String) {
    let operands = invocation.arguments.operands
    guard operands.count == 1 else {
      throw UsageError("expected one FILE, or - for standard input")
    }
    return try schemaText(operands[0], invocation)
  }

  /// Returns the text of a file, and its name for messages.
  static func schemaText(
    _ path: String,
    _ invocation: Invocation
  ) throws -> (name: String, text: String) {
    let name = path == "-" ? "standard input" : path
    let bytes: [UInt8]
    do {
      bytes = try invocation.input.read(path == "-" ? nil : path)
    } catch let error as LocalFailure {
      throw UsageError(error.description)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw UsageError("\(name) is not UTF-8 text")
    }
    return (name, text)
  }
}
