internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let schemaReviewVerbs = [lintSchema, breakingSchema]

  private static let lintSchema = Verb(
    command: Command(
      "schema lint",
      "Check a schema file for probable mistakes and style, without a server.",
      operands: "FILE",
      completion: .files,
      discussion: """
        Prints each finding with its line: warnings for probable mistakes, notes for style. Exits with 3
        if there are warnings. FILE - is standard input.

        Examples:
          rpcctl schema lint houses.ckdb
          rpcctl --as admin schema get | rpcctl schema lint -
        """
    ),
    needsServer: false,
    run: { invocation in
      let (name, text) = try schemaText(invocation)
      let findings = try SchemaLint.findings(text, name: name)
      return print(findings, name, nothing: "\(name): no findings", invocation.output)
    }
  )

  private static let against = OptionKey<String>(
    "against",
    value: "production|FILE",
    default: "production",
    completion: .files,
    "The schema that clients use: production, or a file."
  )

  private static let breakingSchema = Verb(
    command: Command(
      "schema breaking",
      "Find incompatible changes for clients of production, or of another schema file.",
      operands: "[FILE]",
      completion: .files,
      options: [Option](of: against),
      discussion: """
        FILE is the new schema, - standard input (default: the schema of development). Errors are
        incompatible changes: removed types, fields, roles and permissions, and changed types of fields.
        Warnings and notes report removed indexes. Exits with 3 if there are errors.

        Examples:
          rpcctl --as admin schema breaking
          rpcctl --as admin schema breaking houses.ckdb
          rpcctl schema breaking houses.ckdb --against houses.ckdb
        """
    ),
    run: { invocation in
      let operands = invocation.arguments.operands
      let against = invocation.arguments[against]
      let new =
        operands.isEmpty
        ? ("development", try await invocation.fetchSchema(.development).text)
        : try schemaText(invocation)
      let old =
        against == "production"
        ? ("production", try await invocation.fetchSchema(.production).text)
        : try schemaText(against, invocation)
      let findings = try SchemaBreaks.findings(
        from: old.1,
        to: new.1,
        names: (old: old.0, new: new.0)
      )
      return print(
        findings,
        new.0,
        nothing: "no incompatible changes for clients of \(old.0)",
        invocation.output,
        failingAt: .error
      )
    }
  )

  private static func print(
    _ findings: [SchemaFinding],
    _ name: String,
    nothing: String,
    _ output: Output,
    failingAt level: SchemaFinding.Level = .warning
  ) -> ExitCode {
    var results = Results(columns: ["LINE", "LEVEL", "SUBJECT", "FINDING"])
    for finding in findings {
      results.append(
        .omittingNil([
          "file": .string(name), "line": finding.line.map { .integer($0) },
          "level": .string(finding.level.rawValue), "subject": .string(finding.subject),
          "message": .string(finding.message),
        ]),
        [
          finding.line.map(String.init) ?? "", finding.level.rawValue, finding.subject,
          finding.message,
        ]
      )
    }
    if findings.isEmpty, output.format == .table { output.log(nothing) }
    _ = results.finish(output)
    let fails = findings.contains { $0.level == level || $0.level == .error }
    return fails ? .conditionNotMet : .success
  }
}
