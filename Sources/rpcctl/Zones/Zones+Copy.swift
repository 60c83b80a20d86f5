internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let stateOption = OptionKey<String?>(
    "state",
    value: "FILE",
    completion: .files,
    "Go on where FILE says, and keep there how far it came."
  )

  static let copyZone = Verb(
    command: Command(
      "zones copy",
      "Copies a zone, also to another database or another server.",
      operands: "ZONE [OTHER]",
      completion: .live("zones"),
      options: [Option](of: stateOption) + OtherLocation.options("to"),
      discussion: """
        OTHER is the zone that is written, in the place that the options beginning with --to- name;
        without it one of the same name. It is created if need be. Only records that differ are
        written; what only OTHER has stays. Assets come along; references within ZONE stay within OTHER.
        Shares come along into a private database, each with a URL of its own: who was invited is
        invited, and joins anew. The record of a user comes along into that user's default zone only.

        With --state a copy that broke off goes on where it was, and a later one brings over what has
        changed since, deletions too.

        Examples:
          rpcctl zones copy notes archive
          rpcctl zones copy notes --to-endpoint tcp://127.0.0.1:5580 --state notes.copy
          rpcctl zones copy notes --to-as bob
        """
    ),
    run: { invocation in
      let operands = invocation.arguments.operands
      guard (1...2).contains(operands.count) else { throw UsageError("which? ZONE [OTHER]") }
      var other = invocation
      other.settings = try OtherLocation.settings("to", invocation)
      let zone = try invocation.zoneID(operands[0])
      let target = try other.zoneID(operands.last ?? "")
      let route = "\(invocation.placeText(zone)) to \(other.placeText(target))"
      guard invocation.placeText(zone) != other.placeText(target) else {
        throw UsageError(
          "a zone is not copied onto itself: OTHER, or an option that begins with --to-"
        )
      }
      let path = try invocation.arguments.nonEmpty(stateOption)
      var state = CopyState(route: route)
      if let path, AtomicFile.exists(path) {
        state = try CopyState(try invocation.input.read(path), path: path, route: route)
      }
      Interruption.heed()
      let source = try await invocation.connect()
      let session = try await other.connect()
      try await other.requireZone(target, over: session)
      var copier = ZoneCopier(
        from: .init(invocation: invocation, session: source, zone: zone),
        to: .init(invocation: other, session: session, zone: target)
      )
      let keeps = path != nil && !invocation.isDryRun
      var token = state.token
      for try await page in invocation.pages(of: zone, over: source, after: state.token) {
        try Task.checkCancellation()
        try await copier.copy(page)
        token = page.changeToken
        guard copier.isSettled else { continue }
        state.token = token
        if let path, keeps { try AtomicFile.write(state.text, to: path) }
      }
      try await copier.settle()
      // What failed comes again the next time.
      if copier.tally.failed == 0, let path, keeps {
        state.token = token
        try AtomicFile.write(state.text, to: path)
      }
      return copier.print(invocation)
    }
  )
}

extension ZoneCopier {
  /// Prints what became of everything.
  fileprivate func print(_ invocation: Invocation) -> ExitCode {
    let output = invocation.output
    output.endProgress()
    if sharesLeft > 0 {
      output.tell("\(counted(sharesLeft, "share")) not copied: only the owner's zones have shares")
    }
    if userRecordsLeft > 0 {
      output.tell(
        "\(counted(userRecordsLeft, "record")) of users not copied: each user saves the own one, in a default zone"
      )
    }
    if output.format == .table {
      let would = invocation.isDryRun ? "would be " : ""
      output.write(
        text: "\(counted(tally.saved, "record")) \(would)copied, \(tally.deleted) \(would)deleted, "
          + "\(tally.unchanged) the same already, \(tally.failed) failed\n"
      )
    } else {
      output.write(
        .object([
          "saved": .integer(tally.saved), "deleted": .integer(tally.deleted),
          "unchanged": .integer(tally.unchanged), "failed": .integer(tally.failed),
        ])
      )
    }
    return failures.finish(output)
  }
}

extension Invocation {
  /// A zone with all that says where it is.
  fileprivate func placeText(_ zone: TidingsV1.ZoneID) -> String {
    "\(settings.client.endpoint) \(Verb.databaseText(self)) \(zone.shownName)"
  }

  /// Creates a zone, unless it is there.
  fileprivate func requireZone(_ zone: TidingsV1.ZoneID, over session: Session) async throws {
    guard zone.name != ZoneName.defaultZone else { return }
    if case .zone? = try await zoneResults([zone], over: session).first?.outcome { return }
    let results = try await ZoneModification(databaseID: settings.databaseID, saves: [zone])
      .send(over: session.transport, options: callOptions)
    if case .error(let error)? = results.first?.outcome {
      throw LocalFailure("the zone '\(zone.shownName)' cannot be created: \(error.text)")
    }
  }
}
