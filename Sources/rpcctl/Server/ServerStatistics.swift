internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let serverStatistics = Verb(
    command: Command(
      "server statistics",
      "Counts what the store of the server holds.",
      discussion: """
        Records, tombstones, zones, subscriptions, channels, notifications, assets and users, as of one
        moment, and the bytes of the database and its log. Counting takes seconds in a large store;
        callers go on meanwhile. The caller needs the role admin.

        Example:
          rpcctl server statistics -o table
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let statistics = try await invocation.administration()
        .fetchStatistics(.init(), options: invocation.callOptions)
      write(try Contract.fullJSON(statistics).object ?? [:], invocation.output)
      return .success
    }
  )
}
