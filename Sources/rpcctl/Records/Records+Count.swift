internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let countRecords = Verb(
    command: Command(
      "records count",
      "Count the records of a type that match a predicate.",
      operands: "TYPE",
      completion: .live("types"),
      options: selectionOptions,
      discussion: """
        Fetches the names page by page and counts them; `zones stats` counts a whole zone by type.

        Examples:
          rpcctl records count Houses
          rpcctl records count Houses --where 'price < %@' --arg 500000 --all-zones
        """
    ),
    run: { invocation in
      var request = try selectionRequest(invocation)
      request.desiredKeys = .init()
      let records = TidingsV1.RecordService.Client(try await invocation.connect().transport)
      var count = 0
      repeat {
        let page = try await records.queryRecords(request, options: invocation.callOptions)
        count += page.records.count
        request.cursor = page.cursor
        if invocation.output.showsProgress {
          invocation.output.show(progress: counted(count, "record"))
        }
      } while !request.cursor.isEmpty
      invocation.output.endProgress()
      if invocation.output.format == .table {
        invocation.output.write(text: "\(count)\n")
      } else {
        invocation.output.write(.object(["count": .integer(count)]))
      }
      return .success
    }
  )
}
