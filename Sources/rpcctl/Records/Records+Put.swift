internal import CommandLineTools
internal import TidingsProto

extension Verb {
  static let putRecords = Verb(
    command: Command(
      "records put",
      "Save the records of files, in one call.",
      operands: "FILE|-|DIR…",
      completion: .files,
      options: [Option](of: .zone) + SaveOptions.options(),
      discussion: """
        Examples:
          rpcctl records put houses.json
          rpcctl records get h1 | rpcctl records put -
          rpcctl records put --save-policy all-keys --no-atomic houses.json

        Files contain records as printed by `records get`: JSON or JSON lines; of a folder, all .json and
        .jsonl files are read. `records template TYPE` prints a record to start with. For more records
        than fit into one call, use `import`.
        """
    ),
    run: { invocation in
      let paths = try invocation.requireOperands("FILE (- is standard input)")
      let records = try invocation.records(of: paths)
      guard !records.isEmpty else { throw UsageError("the files contain no records") }
      var request = TidingsV1.ModifyRecordsRequest(recordsToSave: records)
      try SaveOptions(invocation.arguments).apply(to: &request)
      return try await invocation.modify(request)
    }
  )

  static let deleteRecords = Verb(
    command: Command(
      "records delete",
      "Delete records by name, and list those that are deleted with them.",
      operands: "NAME…",
      completion: .live("records"),
      options: [Option](of: .zone) + SaveOptions.deletion,
      discussion: """
        Examples:
          rpcctl records delete h7 h8
          rpcctl records delete h1 --zone notes
        """
    ),
    run: { invocation in
      let names = try invocation.requireOperands("NAME")
      var request = TidingsV1.ModifyRecordsRequest(
        recordIDsToDelete: try names.map { .init($0, in: try invocation.zoneID) }
      )
      try SaveOptions(ofDeletion: invocation.arguments).apply(to: &request)
      return try await invocation.modify(request)
    }
  )
}
