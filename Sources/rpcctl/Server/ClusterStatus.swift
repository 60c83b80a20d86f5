internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let clusterStatus = Verb(
    command: Command(
      "cluster status",
      "List the nodes of the server's database.",
      discussion: """
        One node leads: it has the database and answers all calls. The others follow: they forward calls to it and publish
        what it publishes. `isCalled` marks the node that was called, `publicationsBehind` counts what a follower has not
        got yet, `groupsRunAgain` the groups of calls that the database rolled back and that were run again. `dataFormat` is that
        of the database and those of the nodes: a node with a lower one than the database cannot lead. A server on
        its embedded database has no nodes. Requires the admin role.

        Examples:
          rpcctl cluster status -o table
          rpcctl cluster status --endpoint tcp://10.0.0.2:5570
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let status = try await invocation.administration()
        .fetchClusterStatus(.init(), options: invocation.callOptions)
      guard invocation.output.format == .table else {
        write(try Contract.fullJSON(status).object ?? [:], invocation.output)
        return .success
      }
      var table = Table(["name", "role", "version", "format", "rpc", "push", "behind", "called"])
      for node in status.nodes {
        table.append([
          node.name, Contract.shortName(node.role, "NODE_ROLE_").lowercased(), node.version,
          "\(node.dataFormat)", node.rpcEndpoint, node.pushEndpoint, "\(node.publicationsBehind)",
          node.isCalled ? "yes" : "",
        ])
      }
      invocation.output.write(table)
      return .success
    }
  )
}
