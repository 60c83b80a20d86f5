/// Records, their superseded versions and their references.
struct RecordsAssembly: RoomAssembly {
  let table: RecordTable
  let ancestors: AncestorLog
  let references: ReferenceTable

  init(_ room: RoomResources) throws {
    table = try RecordTable(
      room.connection,
      readingAhead: room.readingAhead,
      bytesAheadMax: room.bytesAheadMax
    )
    ancestors = try AncestorLog(room.connection, limits: room.limits)
    references = try ReferenceTable(room.connection, limits: room.limits, pace: room.pace)
  }

  var participants: [any TransactionParticipant] { [ancestors, table.ahead] }
  var tasks: [any MaintenanceTask] { [ancestors] }
}
