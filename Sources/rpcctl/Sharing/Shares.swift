internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// Verbs for owners and participants of shares.
extension Verb {
  static let shareVerbs = [
    sharesCreate, sharesList, sharesShow, sharesAdd, sharesInvite, sharesRemove, sharesSetPublic,
    sharesSetTitle, sharesSetRole, sharesSetRequests, sharesRequests, sharesGrant, sharesDeny,
    sharesBlock, sharesUnblock, sharesAccept, sharesRequestAccess, sharesLeave, sharesEnd,
  ]

  private static let zone = OptionKey<String?>(
    "zone",
    value: "ZONE",
    "The shared zone, or the zone of the shared record."
  )
  private static let root = OptionKey<String?>(
    "root",
    value: "NAME",
    "The root record, which is shared with its descendants."
  )
  private static let shareOption = OptionKey<String?>(
    "share",
    value: "NAME",
    "The name of the share's record."
  )

  static let shareOptions = [Option](of: zone, root, shareOption)

  private static let invite = OptionKey<[String]>(
    list: "invite",
    value: "USER[:PERMISSION]…",
    takesMany: true,
    "The invited users: bob:read-write (default permission: read-only)."
  )
  private static let publicPermission = OptionKey<String>(
    "public",
    value: "PERMISSION",
    default: "none",
    choices: ["none", "read-only", "read-write"],
    "The permission of anyone who joins with the share's URL."
  )
  private static let title = OptionKey<String?>(
    "title",
    value: "TEXT",
    mayBeEmpty: true,
    "The title for invited users."
  )
  private static let allowRequests = OptionKey<Bool>(
    flag: "allow-requests",
    "Allow users who have the URL but may not join to request access."
  )

  private static let sharesCreate = Verb(
    command: Command(
      "shares create",
      "Share a zone, or a record with all its descendants.",
      options: shareOptions + [Option](of: invite, publicPermission, title, allowRequests),
      discussion: """
        Only the owner can do this. Invited users join with the URL in the result: `shares accept`.

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
      "List the shares that the user owns, is invited to or has accepted.",
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
    "The root record of the share."
  )

  private static let sharesShow = Verb(
    command: Command(
      "shares show",
      "Show shares by URL, or one of the user's own shares.",
      operands: "[URL…]",
      options: shareOptions + [Option](of: rootRecord),
      discussion: """
        For users who may not join, the share does not exist.

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
      "Invite users to a share, or change their permissions.",
      operands: "USER[:PERMISSION]…",
      options: shareOptions,
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
      "Remove users from a share, and withdraw one-time URLs.",
      operands: "USER|ID…",
      options: shareOptions,
      discussion: """
        A one-time URL is withdrawn by its ID, which `shares show` prints.

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
      "Set the permission of anyone who joins with the URL of a share.",
      operands: "PERMISSION",
      options: shareOptions,
      discussion: """
        PERMISSION is none, read-only or read-write. With none, participants who joined with the URL are
        removed.

        Example:
          rpcctl shares set-public --as ada --zone board none
        """
    ),
    run: { invocation in
      let operands = try invocation.requireOperands("PERMISSION")
      guard operands.count == 1 else {
        throw UsageError("expected one PERMISSION, not \(operands.count)")
      }
      let permission = try permission(operands[0])
      return try await change(invocation) { $0.publicPermission = permission }
    }
  )

  private static let sharesSetTitle = Verb(
    command: Command(
      "shares set-title",
      "Set the title of a share.",
      operands: "TEXT",
      options: shareOptions,
      discussion: """
        An empty TEXT removes the title.

        Examples:
          rpcctl shares set-title --as ada --zone family 'Shopping lists'
          rpcctl shares set-title --as ada --zone family --root list1 ''
        """
    ),
    run: { invocation in
      let operands = invocation.arguments.operands
      guard operands.count == 1 else {
        throw UsageError("expected one TEXT, not \(operands.count)")
      }
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
      "Join shares, whose records then appear in the shared database.",
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
    "The shared zone, or the zone of the shared record."
  )

  private static let sharesLeave = Verb(
    command: Command(
      "shares leave",
      "Leave a share; other participants are not affected.",
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
      guard urls.count <= 1 else { throw UsageError("expected one URL, not \(urls.count)") }
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
      "End one of the user's own shares; its records are kept.",
      options: shareOptions,
      discussion: """
        Example:
          rpcctl shares end --as ada --zone family --root list1
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      guard invocation.settings.scope != .shared else {
        throw UsageError("only the owner can end a share: leave it with `shares leave`")
      }
      let shares = try await shares(invocation)
      let id = try await shareID(invocation, shares)
      try invocation.confirm("end the share '\(printable(id.recordName))' for all participants")
      try await shares.end(id)
      return printEnd(id, "ended", invocation.output)
    }
  )

  // MARK: Shared functions

  static func shares(_ invocation: Invocation) async throws -> Shares {
    Shares(
      try await invocation.connect().transport,
      container: invocation.settings.container,
      environment: invocation.settings.environment,
      options: invocation.callOptions
    )
  }

  private static func sharedZone(_ invocation: Invocation) throws -> TidingsV1.ZoneID {
    // Administrators change a share in the shared database.
    if invocation.settings.scope == .shared { return try invocation.zoneID }
    guard !invocation.zoneName.isEmpty else {
      throw UsageError("no zone: set --zone ZONE; the default zone cannot be shared")
    }
    return .init(zoneName: invocation.zoneName)
  }

  /// Returns the share of `--share`, `--root` or `--zone`.
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
      throw UsageError("invalid permission '\(text)': use \(PermissionText.words)")
    }
    return permission
  }

  static func participant(_ text: String) throws(UsageError) -> TidingsV1.Participant {
    guard let participant = PermissionText.participant(text) else {
      throw UsageError(
        "invalid user '\(text)': use USER or USER:PERMISSION (\(PermissionText.words))"
      )
    }
    return participant
  }
}
