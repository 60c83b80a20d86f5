internal import CommandLineTools

extension Verb {
  static let createZones = Verb(
    command: Command(
      "zones create",
      "Create zones; existing ones are kept.",
      operands: "NAME…",
      discussion: """
        Example:
          rpcctl zones create notes drafts
        """
    ),
    run: { invocation in
      let names = try invocation.requireOperands("NAME")
      return try await invocation.modifyZones(save: names)
    }
  )

  static let deleteZones = Verb(
    command: Command(
      "zones delete",
      "Delete zones with all their records.",
      operands: "NAME…",
      completion: .live("zones"),
      discussion: """
        On a terminal it asks for confirmation. To keep the zone, use `zones purge`.

        Examples:
          rpcctl zones delete drafts
          rpcctl zones delete drafts old --yes
        """
    ),
    run: { invocation in
      let names = try invocation.requireOperands("NAME")
      return try await invocation.modifyZones(delete: names)
    }
  )
}
