internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let schemaReviewVerbs = [lintSchema, breakingSchema]

  private static let lintSchema = Verb(
    command: Command(
      "schema lint",
      "Looks for likely mistakes and for style in a schema file, without a server.",
      operands: "FILE",
      completion: .files,
      discussion: """
        Prints each finding with its line: warnings for what is probably not meant, notes for style.
        Ends with 3 when there are warnings. FILE - is standard input.

        Examples:
          rpcctl schema lint houses.ckdb
          rpcctl --as admin schema get | rpcctl schema lint -
        """
    ),
    needsServer: false,
    run: { invocation in
      let (name, text) = try schemaText(invocation)
      let findings = try SchemaLint.findings(text, name: name)
      return print(findings, name, nothing: "\(name): nothing to say", invocation.output)
    }
  )

  private static let against = OptionKey<String>(
    "against",
    value: "production|FILE",
    default: "production",
    completion: .files,
    "What clients know: the schema of production, or a file."
  )

  private static let breakingSchema = Verb(
    command: Command(
      "schema breaking",
      "Tells what a schema would break for clients of production, or of another file.",
      operands: "[FILE]",
      completion: .files,
      options: [Option](of: against),
      discussion: """
        FILE is the new schema, - standard input; without it that of development. Errors are what
        breaks: types, fields, roles and rights that are gone, types of fields that change. Warnings
        and notes tell of indexes that are gone. Ends with 3 when there are errors.

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
        nothing: "nothing breaks for clients of \(old.0)",
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
    if findings.isEmpty, output.format == .table { output.tell(nothing) }
    _ = results.finish(output)
    let fails = findings.contains { $0.level == level || $0.level == .error }
    return fails ? .conditionNotMet : .success
  }
}
