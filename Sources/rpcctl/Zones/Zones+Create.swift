internal import CommandLineTools

extension Verb {
  static let createZones = Verb(
    command: Command(
      "zones create",
      "Creates zones; those that exist stay as they are.",
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
      "Deletes zones with all their records.",
      operands: "NAME…",
      completion: .live("zones"),
      discussion: """
        On a terminal it asks first; `zones purge` keeps the zone and deletes the records.

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
