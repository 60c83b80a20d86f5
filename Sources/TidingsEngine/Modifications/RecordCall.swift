internal import TidingsModel

/// What a call does in one database: where, for whom and when.
final class RecordCall {
  let context: CallContext
  let database: DatabaseEntry
  /// The database as the call names it: `database`, or the shared one of the caller.
  let named: DatabaseID
  let modification: Record.ModificationInfo
  let isDryRun: Bool
  /// The call is the server's own: a user is being erased, and the user's record with them.
  let erasesUser: Bool
  /// What the caller may do; `nil`: everything.
  let access: (any RecordAccess)?
  /// The same for a call to the shared database.
  let participant: ParticipantAccess?
  /// Where a participant's uploads are, until a record names them.
  let uploads: DatabaseEntry?
  /// Of all parts of a call to the shared database together; else the call has one of its own.
  let sharingBudget: SharingBudget?

  init(
    _ context: CallContext,
    database: DatabaseEntry,
    named: DatabaseID,
    isDryRun: Bool = false,
    erasesUser: Bool = false,
    access: (any RecordAccess)?,
    participant: ParticipantAccess? = nil,
    uploads: DatabaseEntry? = nil,
    sharingBudget: SharingBudget? = nil
  ) {
    (self.context, self.database, self.named) = (context, database, named)
    modification = Record.ModificationInfo(
      timestamp: context.moment.timeOfDay,
      caller: context.caller
    )
    (self.isDryRun, self.erasesUser) = (isDryRun, erasesUser)
    (self.access, self.participant) = (access, participant)
    (self.uploads, self.sharingBudget) = (uploads, sharingBudget)
  }

  /// The time of the store.
  var steady: SteadyTime { context.steady }

  /// Where the caller's records may take assets from.
  var assetSource: AssetTable.Source {
    if participant != nil { return .uploads(uploads) }
    guard database.id.scope == .public else { return .database }
    guard let access = access as? PublicAccess else {
      preconditionFailure("no caller has every right on a public database")
    }
    return .readable(access)
  }
}
