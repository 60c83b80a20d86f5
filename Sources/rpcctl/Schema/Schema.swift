internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let schemaVerbs = [
    getSchema, applySchema, diffSchema, validateSchema, deploySchema, resetSchema,
  ]

  private static let indexes = OptionKey<Bool>(
    flag: "indexes",
    "Print the indexes instead, and where they stand."
  )

  private static let getSchema = Verb(
    command: Command(
      "schema get",
      "Prints the schema of the container: types, fields, indexes, grants.",
      options: [Option](of: indexes),
      discussion: """
        Examples:
          rpcctl --as admin schema get > houses.ckdb
          rpcctl --as admin schema get --environment production -o json
          rpcctl --as admin schema get --indexes

        Without --output the schema is printed as text, in the schema language.
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
      "Brings the development schema to what a file says.",
      operands: "FILE",
      completion: .files,
      discussion: """
        Prints what changed; FILE - is standard input. What would lose data is refused: a type or field
        that production has, or that records use, can neither be removed nor get another type.

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
      "Compares the development schema with a file, as `schema apply` would change it.",
      operands: "FILE",
      completion: .files,
      discussion: """
        Ends with 0 when nothing would change and with 3 when something would; FILE - is standard
        input.

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
      "Checks that a file is a schema, without a server.",
      operands: "FILE",
      completion: .files,
      discussion: """
        Ends with 0 when it is; else with 1, after line, column and what is wrong there. FILE - is
        standard input. Whether the container can have this schema, `schema apply --dry-run` tells.

        Example:
          rpcctl schema validate houses.ckdb
        """
    ),
    needsServer: false,
    run: { invocation in
      let (name, text) = try schemaText(invocation)
      let counts = try SchemaFile.counts(text, name: name)
      if invocation.output.format == .table {
        invocation.output.tell("\(name) is a schema: \(counts.text)")
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
      "Copies the development schema to production.",
      discussion: """
        Prints what changed. Types, fields, indexes, roles and grants are copied, never records. The
        first deployment makes the container exist in production. What production has can neither be
        removed nor get another type afterwards. On a server with keys this and `schema apply` need the
        role `developer` or `admin` (`rpcctl users roles`).

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
      "Brings the development environment back to production: its schema, without any data.",
      options: [Option](of: noWait),
      discussion: """
        The zones, records, shares and subscriptions of all users in development are removed, and its schema
        becomes production's; nothing happens to production. It prints how the schema changes.
        --dry-run only tells that. Until everything is removed calls to development are refused with
        ZONE_BUSY. Without a terminal nothing is done without --yes. The caller needs the role admin.

        Examples:
          rpcctl schema reset --dry-run
          rpcctl schema reset --container shop --yes
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let container = invocation.settings.container
      guard invocation.settings.environment != .production else {
        throw UsageError("development is reset, never production: leave --environment out")
      }
      let named = container.isEmpty ? "default" : container
      try invocation.confirm(
        "remove all data of all users in the development environment of container '\(printable(named))'",
        unasked: .refuses
      )
      let administration = try await invocation.administration()
      let first = try await administration.resetDevelopment(
        .init(container: container, dryRun: invocation.isDryRun),
        options: invocation.callOptions
      )
      let would = invocation.isDryRun ? "would be " : ""
      invocation.output.tell(
        "\(counted(Int(first.databaseCount), "database")) with data \(would)emptied"
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
      if isRunning { invocation.output.tell("the server goes on removing what is left") }
      return SchemaResults.print(first.changes, invocation.output)
    }
  )

  /// What a deployment does that has nothing to copy.
  private static func withoutChanges(_ invocation: Invocation) -> String {
    let container = "container '\(invocation.settings.container)'"
    return invocation.isDryRun
      ? "nothing to copy; deploying sees to it that \(container) exists in production"
      : "nothing to copy; \(container) exists in production, with this schema"
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
        "a schema is applied to development, and deployed to production from there: "
          + "rpcctl schema deploy"
      )
    }
    let (_, text) = try schemaText(invocation)
    return try await schemas(invocation).applySchema(
      .init(container: invocation.settings.container, text: text, dryRun: dryRun),
      options: invocation.callOptions
    ).changes
  }

  /// The text of the one operand, and how messages call it.
  static func schemaText(_ invocation: Invocation) throws -> (name: String, text: String) {
    let operands = invocation.arguments.operands
    guard operands.count == 1 else {
      throw UsageError("one FILE is needed, or - for standard input")
    }
    return try schemaText(operands[0], invocation)
  }

  /// The text of a file, and how messages call it.
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
      throw UsageError("\(name) is no text: it is not UTF-8")
    }
    return (name, text)
  }
}
