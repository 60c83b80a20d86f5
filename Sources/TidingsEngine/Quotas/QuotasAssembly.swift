/// What is stored for each user, and its bounds.
struct QuotasAssembly: RoomAssembly {
  let table: QuotaTable
  let usage: UsageTable
  let devices: DeviceNames
  let answers: AnswerLog
  let clientTokens: ClientTokens

  init(_ room: RoomResources) throws {
    table = try QuotaTable(room.connection, limits: room.limits)
    usage = try UsageTable(room.connection, remembered: room.remembered)
    devices = try DeviceNames(room.connection, limits: room.limits)
    answers = try AnswerLog(
      room.connection,
      readingAhead: room.readingAhead,
      bytesAheadMax: room.bytesAheadMax,
      limits: room.limits,
      usage: usage
    )
    clientTokens = try ClientTokens(room.connection, limits: room.limits, usage: usage)
  }

  var participants: [any TransactionParticipant] { [table, usage, devices, answers.ahead] }
  var tasks: [any MaintenanceTask] { [clientTokens, devices] }
}
