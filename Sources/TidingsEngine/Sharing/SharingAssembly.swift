/// Shares, what they hold, and who asked for access.
struct SharingAssembly: RoomAssembly {
  let reader: ShareReader
  let table: ShareTable
  let records: SharedRecordTable
  let accessRequests: AccessRequestTable
  private let expiry: SharedRecordExpiry

  init(_ room: RoomResources) throws {
    reader = try ShareReader(room.connection)
    records = try SharedRecordTable(room.connection)
    table = try ShareTable(room.connection, records: records, pace: room.pace)
    accessRequests = try AccessRequestTable(room.connection, limits: room.limits)
    expiry = try SharedRecordExpiry(room.connection, limits: room.limits)
  }

  var participants: [any TransactionParticipant] { [table] }
  var tasks: [any MaintenanceTask] { [expiry] }
}
