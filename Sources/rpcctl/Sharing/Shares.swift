internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// The verbs of those who share what is theirs.
extension Verb {
  static let shareVerbs = [
    sharesCreate, sharesList, sharesShow, sharesAdd, sharesInvite, sharesRemove, sharesSetPublic,
    sharesSetTitle, sharesSetRole, sharesSetRequests, sharesRequests, sharesGrant, sharesDeny,
    sharesBlock, sharesUnblock, sharesAccept, sharesRequestAccess, sharesLeave, sharesEnd,
  ]

  private static let zone = OptionKey<String?>(
    "zone",
    value: "ZONE",
    "The zone that is shared, or in which the record is."
  )
  private static let root = OptionKey<String?>(
    "root",
    value: "NAME",
    "The record that is shared with its descendants."
  )
  private static let shareOption = OptionKey<String?>(
    "share",
    value: "NAME",
    "The name of the share's own record."
  )

  static let whichShare = [Option](of: zone, root, shareOption)

  private static let invite = OptionKey<[String]>(
    list: "invite",
    value: "USER[:PERMISSION]…",
    takesMany: true,
    "Who may join: bob:read-write; without a permission read-only."
  )
  private static let publicPermission = OptionKey<String>(
    "public",
    value: "PERMISSION",
    default: "none",
    choices: ["none", "read-only", "read-write"],
    "What anyone may do who joins with the share's URL."
  )
  private static let title = OptionKey<String?>(
    "title",
    value: "TEXT",
    "What is shared, for those who are invited."
  )
  private static let allowRequests = OptionKey<Bool>(
    flag: "allow-requests",
    "Who has the URL and may not join may ask for access."
  )

  private static let sharesCreate = Verb(
    command: Command(
      "shares create",
      "Shares a zone, or a record with all its descendants.",
      options: whichShare + [Option](of: invite, publicPermission, title, allowRequests),
      discussion: """
        The owner does this. Those who join need the URL in the result: `shares accept`.

        Examples:
          rpcctl shares create --as ada --zone family --invite bob:read-write carol
          rpcctl shares create --as ada --zone family --root list1 --invite bob:read-write
          rpcctl shares create --as ada --zone board --public read-only -o table
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let arguments = invocation.arguments
      let zone = try sharedZone(invocation)
      let root = arguments[root] ?? ""
      var record = TidingsV1.Record(
        recordID: .init(
          recordName: arguments[shareOption] ?? (root.isEmpty ? Shares.zoneShareName : ""),
          zoneID: zone
        ),
        recordType: Shares.recordType
      )
      record.share = .init(
        rootRecordName: root,
        publicPermission: try permission(arguments[publicPermission]),
        participants: try arguments[invite].map(participant),
        allowsAccessRequests: arguments[allowRequests]
      )
      if let title = arguments[title] {
        record.fields["title"] = .init(value: .stringValue(title))
      }
      let saved = try await shares(invocation).save(record)
      return printShare(saved, invocation.output)
    }
  )

  private static let sharesList = Verb(
    command: Command(
      "shares list",
      "Lists the shares that the user owns, was invited to or has accepted.",
      discussion: """
        Example:
          rpcctl shares list --as bob -o table
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let all = try await shares(invocation).all()
      invocation.output.write(all.map(ShareJSON.json)) {
        var table = Table(metadataColumns)
        for metadata in all { table.append(row(metadata)) }
        return table
      }
      return .success
    }
  )

  private static let rootRecord = OptionKey<Bool>(
    flag: "root-record",
    "The record that is shared too."
  )

  private static let sharesShow = Verb(
    command: Command(
      "shares show",
      "Shows what is behind the URLs of shares, or a share of one's own.",
      operands: "[URL…]",
      options: whichShare + [Option](of: rootRecord),
      discussion: """
        Who may not join is told that there is no such share.

        Examples:
          rpcctl shares show --as ada --zone family -o table
          rpcctl shares show --as bob tidings://share/home/development/AbCdEf
        """
    ),
    run: { invocation in
      let shares = try await shares(invocation)
      let urls = invocation.arguments.operands
      guard urls.isEmpty else {
        let wantsRoot = invocation.arguments[rootRecord]
        let results = try await shares.metadata(of: urls, wantsRootRecord: wantsRoot)
        return printResults(results, invocation.output)
      }
      let id = try await shareID(invocation, shares)
      return printShare(try await shares.share(id), invocation.output)
    }
  )

  private static let sharesAdd = Verb(
    command: Command(
      "shares add",
      "Invites users to a share, or changes what they may do.",
      operands: "USER[:PERMISSION]…",
      options: whichShare,
      discussion: """
        Example:
          rpcctl shares add --as ada --zone family bob:read-only dave:read-write
        """
    ),
    run: { invocation in
      let wanted = try invocation.requireOperands("USER").map(participant)
      return try await change(invocation) { share in
        for participant in wanted {
          let known = share.participants.firstIndex {
            $0.userRecordName == participant.userRecordName
          }
          if let known {
            share.participants[known].permission = participant.permission
          } else {
            share.participants.append(participant)
          }
        }
      }
    }
  )

  private static let sharesRemove = Verb(
    command: Command(
      "shares remove",
      "Removes users from a share, and withdraws one-time URLs.",
      operands: "USER|ID…",
      options: whichShare,
      discussion: """
        A one-time URL is withdrawn by its ID, which `shares show` tells.

        Examples:
          rpcctl shares remove --as ada --zone family --root list1 bob
          rpcctl shares remove --as ada --zone family B2D7A1E5-6C0F-4B8E-9D43-7F21A6C0E958
        """
    ),
    run: { invocation in
      let users = Set(try invocation.requireOperands("USER"))
      return try await change(invocation) { share in
        share.participants.removeAll {
          users.contains($0.userRecordName) || users.contains($0.participantID)
        }
      }
    }
  )

  private static let sharesSetPublic = Verb(
    command: Command(
      "shares set-public",
      "Sets what anyone may do who joins with the URL of a share.",
      operands: "PERMISSION",
      options: whichShare,
      discussion: """
        none, read-only or read-write. With none, those who came with the URL are removed.

        Example:
          rpcctl shares set-public --as ada --zone board none
        """
    ),
    run: { invocation in
      let operands = try invocation.requireOperands("PERMISSION")
      guard operands.count == 1 else { throw UsageError("one PERMISSION, not \(operands.count)") }
      let permission = try permission(operands[0])
      return try await change(invocation) { $0.publicPermission = permission }
    }
  )

  private static let sharesSetTitle = Verb(
    command: Command(
      "shares set-title",
      "Sets what those who are invited to a share see as its title.",
      operands: "TEXT",
      options: whichShare,
      discussion: """
        An empty TEXT removes the title.

        Examples:
          rpcctl shares set-title --as ada --zone family 'Shopping lists'
          rpcctl shares set-title --as ada --zone family --root list1 ''
        """
    ),
    run: { invocation in
      let operands = invocation.arguments.operands
      guard operands.count == 1 else { throw UsageError("one TEXT, not \(operands.count)") }
      let title = operands[0]
      let shares = try await shares(invocation)
      let id = try await shareID(invocation, shares)
      let changed = try await shares.changeRecord(id) { record in
        // A field without a value is removed.
        record.fields["title"] = .init(value: title.isEmpty ? nil : .stringValue(title))
      }
      return printShare(changed, invocation.output)
    }
  )

  private static let sharesAccept = Verb(
    command: Command(
      "shares accept",
      "Joins shares: what they share appears in the shared database.",
      operands: "URL…",
      discussion: """
        Example:
          rpcctl shares accept --as bob tidings://share/home/development/AbCdEf
        """
    ),
    run: { invocation in
      let urls = try invocation.requireOperands("URL")
      return printResults(try await shares(invocation).accept(urls), invocation.output)
    }
  )

  private static let joinedZone = OptionKey<String?>(
    "zone",
    value: "OWNER/ZONE",
    "The zone that is shared, or in which the record is."
  )

  private static let sharesLeave = Verb(
    command: Command(
      "shares leave",
      "Leaves a share; its owner and the others keep it.",
      operands: "[URL]",
      options: [Option](of: joinedZone, shareOption),
      discussion: """
        Examples:
          rpcctl shares leave --as bob tidings://share/home/development/AbCdEf
          rpcctl shares leave --as bob --zone ada/family
        """
    ),
    run: { invocation in
      let shares = try await shares(invocation)
      let urls = invocation.arguments.operands
      guard urls.count <= 1 else { throw UsageError("one URL, not \(urls.count)") }
      var id: TidingsV1.RecordID
      if let url = urls.first {
        let result = try await shares.metadata(of: [url]).first
        guard case .metadata(let metadata)? = result?.outcome else {
          return printResults(result.map { [$0] } ?? [], invocation.output)
        }
        id = metadata.share?.recordID ?? .init()
        id.zoneID = metadata.zoneID
      } else {
        var settings = invocation
        settings.settings.scope = .shared
        id = .init(
          recordName: invocation.arguments[shareOption] ?? Shares.zoneShareName,
          zoneID: try settings.zoneID
        )
      }
      try await shares.leave(id)
      return printEnd(id, "left", invocation.output)
    }
  )

  private static let sharesEnd = Verb(
    command: Command(
      "shares end",
      "Ends a share of one's own; what was shared stays.",
      options: whichShare,
      discussion: """
        Example:
          rpcctl shares end --as ada --zone family --root list1
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      guard invocation.settings.scope != .shared else {
        throw UsageError("only its owner ends a share: leave it with `shares leave`")
      }
      let shares = try await shares(invocation)
      let id = try await shareID(invocation, shares)
      try invocation.confirm("end the share '\(printable(id.recordName))' for all who joined it")
      try await shares.end(id)
      return printEnd(id, "ended", invocation.output)
    }
  )

  // MARK: What they have in common

  static func shares(_ invocation: Invocation) async throws -> Shares {
    Shares(
      try await invocation.connect().transport,
      container: invocation.settings.container,
      environment: invocation.settings.environment,
      options: invocation.callOptions
    )
  }

  private static func sharedZone(_ invocation: Invocation) throws -> TidingsV1.ZoneID {
    // An administrator of a share changes it where it is shared.
    if invocation.settings.scope == .shared { return try invocation.zoneID }
    guard !invocation.zoneName.isEmpty else {
      throw UsageError("which zone? --zone ZONE; the default zone cannot be shared")
    }
    return .init(zoneName: invocation.zoneName)
  }

  /// The share that `--share`, `--root` or `--zone` names.
  static func shareID(
    _ invocation: Invocation,
    _ shares: Shares
  ) async throws -> TidingsV1.RecordID {
    let zone = try sharedZone(invocation)
    if let name = invocation.arguments[shareOption] { return .init(recordName: name, zoneID: zone) }
    return try await shares.shareID(of: invocation.arguments[root], in: zone)
  }

  static func change(
    _ invocation: Invocation,
    _ body: @Sendable (inout TidingsV1.Share) -> Void
  ) async throws -> ExitCode {
    let shares = try await shares(invocation)
    let id = try await shareID(invocation, shares)
    return printShare(try await shares.change(id, body), invocation.output)
  }

  static func permission(
    _ text: String
  ) throws(UsageError) -> TidingsV1.ParticipantPermission {
    guard let permission = PermissionText.permission(text) else {
      throw UsageError("'\(text)' is no permission: \(PermissionText.words)")
    }
    return permission
  }

  static func participant(_ text: String) throws(UsageError) -> TidingsV1.Participant {
    guard let participant = PermissionText.participant(text) else {
      throw UsageError(
        "'\(text)' is neither USER nor USER:PERMISSION (\(PermissionText.words))"
      )
    }
    return participant
  }
}
