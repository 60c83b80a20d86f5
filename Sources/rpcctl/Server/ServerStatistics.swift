internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let serverStatistics = Verb(
    command: Command(
      "server statistics",
      "Count the objects in the server's store.",
      discussion: """
        Shows the number of records, tombstones, zones, subscriptions, channels, notifications, assets
        and users at one point in time, and the size of the database and its log in bytes. Counting takes
        seconds in a large store; other calls continue meanwhile. Requires the admin role.

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
