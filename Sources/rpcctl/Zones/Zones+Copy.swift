internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let stateOption = OptionKey<String?>(
    "state",
    value: "FILE",
    completion: .files,
    "Resume from the state in FILE, and save the state there."
  )

  static let copyZone = Verb(
    command: Command(
      "zones copy",
      "Copy a zone, also to another database or another server.",
      operands: "ZONE [OTHER]",
      completion: .live("zones"),
      options: [Option](of: stateOption) + OtherLocation.options("to"),
      discussion: """
        OTHER is the zone to write, at the location given by the options that start with --to- (default:
        the zone of the same name). It is created if necessary. Only records that differ are written;
        other records of OTHER are kept. Assets are copied; references within ZONE refer to OTHER in the
        copy. Shares are copied to a private database only, with new URLs: invited users are invited
        again, and have to join again. User records are copied only to that user's default zone.

        With --state, an interrupted copy is resumed, and a later one copies only the changes since then,
        including deletions.

        Examples:
          rpcctl zones copy notes archive
          rpcctl zones copy notes --to-endpoint tcp://127.0.0.1:5580 --state notes.copy
          rpcctl zones copy notes --to-as bob
        """
    ),
    run: { invocation in
      let operands = invocation.arguments.operands
      guard (1...2).contains(operands.count) else { throw UsageError("expected ZONE [OTHER]") }
      var other = invocation
      other.settings = try OtherLocation.settings("to", invocation)
      let zone = try invocation.zoneID(operands[0])
      let target = try other.zoneID(operands.last ?? "")
      let route = "\(invocation.locationText(zone)) to \(other.locationText(target))"
      guard invocation.locationText(zone) != other.locationText(target) else {
        throw UsageError(
          "a zone cannot be copied to itself: use OTHER, or an option that starts with --to-"
        )
      }
      let path = invocation.arguments[stateOption]
      var state = CopyState(route: route)
      if let path, AtomicFile.exists(path) {
        state = try CopyState(try invocation.input.read(path), path: path, route: route)
      }
      Interruption.enableCancellation()
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
      // Failed records are copied again the next time.
      if copier.tally.failed == 0, let path, keeps {
        state.token = token
        try AtomicFile.write(state.text, to: path)
      }
      return copier.print(invocation)
    }
  )
}

extension ZoneCopier {
  /// Prints the summary.
  fileprivate func print(_ invocation: Invocation) -> ExitCode {
    let output = invocation.output
    output.endProgress()
    if skippedShareCount > 0 {
      output.log(
        "\(counted(skippedShareCount, "share")) not copied: only the owner's zones have shares"
      )
    }
    if skippedUserRecordCount > 0 {
      output.log(
        "\(counted(skippedUserRecordCount, "record")) of users not copied: users can save only their own, in a default zone"
      )
    }
    if output.format == .table {
      let would = invocation.isDryRun ? "would be " : ""
      output.write(
        text: "\(counted(tally.saved, "record")) \(would)copied, \(tally.deleted) \(would)deleted, "
          + "\(tally.unchanged) unchanged, \(tally.failed) failed\n"
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
  /// Describes a zone with its location.
  fileprivate func locationText(_ zone: TidingsV1.ZoneID) -> String {
    "\(settings.endpointsText) \(Verb.databaseText(self)) \(zone.shownName)"
  }

  /// Creates a zone, unless it exists.
  fileprivate func requireZone(_ zone: TidingsV1.ZoneID, over session: Session) async throws {
    guard zone.name != ZoneName.defaultZone else { return }
    if case .zone? = try await zoneResults([zone], over: session).first?.outcome { return }
    let results = try await ZoneModification(databaseID: settings.databaseID, saves: [zone])
      .send(over: session.transport, options: callOptions)
    if case .error(let error)? = results.first?.outcome {
      throw LocalFailure("cannot create zone '\(zone.shownName)': \(error.text)")
    }
  }
}
