internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let grantVerbs = [listRoles, listGrants, checkGrant]

  private static let listRoles = Verb(
    command: Command(
      "roles list",
      "List roles, with their permissions and users.",
      discussion: """
        Lists the server's roles (admin, developer), those of the container's schema, and those of users
        that are not in the schema. Create a role in the schema (CREATE ROLE), and assign it with
        `rpcctl users roles`. Requires the admin role.

        Example:
          rpcctl roles list -o table
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let (grants, schemaRoles) = try await grants(invocation)
      let accounts = try await invocation.allUsers().accounts
      let container = invocation.settings.container
      let given = Set(accounts.flatMap(\.roles)).filter {
        !$0.contains("/") || $0.hasPrefix(container + "/")
      }
      let assigned = given.map {
        $0.hasPrefix(container + "/") ? String($0.dropFirst(container.count + 1)) : $0
      }
      let names = ["admin", "developer"] + schemaRoles
      let unknown = Set(assigned).subtracting(names).sorted()
      var results = Results(columns: ["ROLE", "KIND", "USERS", "GRANTS"])
      for name in names + unknown {
        let users = accounts.filter {
          $0.roles.contains(name) || $0.roles.contains("\(container)/\(name)")
        }.map(\.name)
        let its = grants.filter { $0.role == name }.map { "\($0.type): \($0.rights)" }
        let kind =
          name == "admin" || name == "developer"
          ? "server" : schemaRoles.contains(name) ? "schema" : "unknown"
        results.append(
          .object([
            "role": .string(name), "kind": .string(kind),
            "users": .array(users.map { .string($0) }), "grants": .array(its.map { .string($0) }),
          ]),
          [name, kind, users.joined(separator: " "), its.joined(separator: "; ")]
        )
      }
      return results.finish(invocation.output)
    }
  )

  private static let listGrants = Verb(
    command: Command(
      "grants list",
      "List the grants of record types to roles in the public database.",
      operands: "[TYPE…]",
      completion: .live("types"),
      discussion: """
        To change grants, change the schema: `rpcctl schema get`, edit, `rpcctl schema apply`.

        Example:
          rpcctl grants list House -o table
        """
    ),
    run: { invocation in
      let types = invocation.arguments.operands
      var results = Results(columns: ["TYPE", "ROLE", "RIGHTS"])
      for grant in try await grants(invocation).grants
      where types.isEmpty || types.contains(grant.type) {
        results.append(
          .object([
            "type": .string(grant.type), "role": .string(grant.role),
            "rights": .string(grant.rights),
          ]),
          [grant.type, grant.role, grant.rights]
        )
      }
      return results.finish(invocation.output)
    }
  )

  private static let guest = OptionKey<Bool>(
    flag: "guest",
    "Check callers without an account, instead of USER."
  )

  private static let checkGrant = Verb(
    command: Command(
      "grants check",
      "Check and explain a user's access to records of a type in the public database.",
      operands: "USER read|create|write|delete|subscribe TYPE",
      completion: .live("grant"),
      options: [Option](of: guest),
      discussion: """
        Exits with 0 if the user may access all records, or their own, and with 3 otherwise. Requires the
        admin role, to read the user's roles.

        Examples:
          rpcctl grants check ann write House
          rpcctl grants check --guest read House --environment production
        """
    ),
    run: { invocation in
      let isGuest = invocation.arguments[guest]
      let operands = (isGuest ? [""] : []) + invocation.arguments.operands
      guard operands.count == 3 else {
        throw UsageError(
          isGuest ? "expected OPERATION and TYPE" : "expected USER, OPERATION and TYPE"
        )
      }
      guard let operation = GrantCheck.Operation(rawValue: operands[1].lowercased()) else {
        let known = GrantCheck.Operation.allCases.map(\.rawValue)
        let near = nearest(to: operands[1], among: known)
        throw UsageError(
          "invalid operation '\(operands[1])': use \(known.joined(separator: ", "))"
            + (near.map { "; did you mean \($0)?" } ?? "")
        )
      }
      let text = try await invocation.fetchSchema().text
      let account = isGuest ? nil : try await account(operands[0], invocation)
      let container = invocation.settings.container
      let check = try GrantCheck(
        operation,
        on: operands[2],
        schema: text,
        roles: account?.roles,
        container: container.isEmpty ? "default" : container
      )
      var (verdict, reasons) = (check.verdict, check.reasons)
      if let restricted = account?.restricted {
        verdict = .none
        reasons.append(
          "the user was restricted at \(restricted.text): undo it with `rpcctl users admit`"
        )
      }
      if invocation.output.format == .table {
        let who = isGuest ? "a guest" : operands[0]
        let what = "\(operation.rawValue) \(operands[2])"
        let answer =
          switch verdict {
          case .all: "yes: \(who) may \(what)"
          case .own: "own records only: \(who) may \(what) that \(who) created"
          case .none: "no: \(who) may not \(what)"
          }
        invocation.output.write(
          text: ([answer] + reasons.map { "  " + $0 }).joined(separator: "\n") + "\n"
        )
      } else {
        invocation.output.write(
          .object([
            "user": .string(operands[0]), "operation": .string(operation.rawValue),
            "type": .string(operands[2]), "records": .string(verdict.rawValue),
            "reasons": .array(reasons.map { .string($0) }),
          ])
        )
      }
      return verdict == .none ? .conditionNotMet : .success
    }
  )

  private static func account(
    _ name: String,
    _ invocation: Invocation
  ) async throws -> TidingsV1.Account {
    let users = try await invocation.administration().listUsers(
      .init(userNames: [name]),
      options: invocation.callOptions
    ).accounts
    guard let account = users.first else { throw NotFound("user '\(name)' does not exist") }
    return account
  }

  private static func grants(
    _ invocation: Invocation
  ) async throws -> (grants: [SchemaGrants.Grant], roles: [String]) {
    try SchemaGrants.read(try await invocation.fetchSchema().text)
  }
}
