internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let exact = OptionKey<Bool>(
    flag: "exact",
    "Also report fields that only the stored records have, which a save keeps."
  )

  static let diffRecords = Verb(
    command: Command(
      "records diff",
      "Show the changes that saving the records of files would make.",
      operands: "FILE|-|DIR…",
      completion: .files,
      options: [Option](of: .zone, exact),
      discussion: """
        Prints the fields that differ, and exits with 3 if there are any. Change tags, and stored records
        that are not in the files, are ignored.

        Examples:
          rpcctl records diff houses.json
          rpcctl export -O - | rpcctl --container copy records diff - --exact
        """
    ),
    run: { invocation in
      let paths = try invocation.requireOperands("FILE (- is standard input)")
      var files = try RecordFiles(paths, invocation.input, zoneID: invocation.defaultZoneID)
      let isExact = invocation.arguments[exact]
      let output = invocation.output
      let session = try await invocation.connect()
      var isSame = true
      var list: [JSONValue] = []
      var table = Table(["RECORD", "FIELD", "FILE", "STORED"])
      while true {
        let records = try files.next(itemsPerCall)
        if records.isEmpty { break }
        let results = try await invocation.fetch(
          records.map { $0.recordID ?? .init() },
          over: session
        )
        for (record, result) in zip(records, results) {
          let difference = RecordDifference(
            record,
            stored: try result.storedRecord,
            isExact: isExact
          )
          guard !difference.isEmpty else { continue }
          isSame = false
          if output.format == .jsonl {
            output.write(line: difference.json)
          } else {
            list.append(difference.json)
            for row in difference.rows { table.append(row) }
          }
        }
      }
      if output.format != .jsonl { output.write(list) { table } }
      if isSame, output.format == .table { output.log("no differences") }
      return isSame ? .success : .conditionNotMet
    }
  )
}
