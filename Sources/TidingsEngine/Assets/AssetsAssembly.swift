/// Complete assets, and those that no record names any more.
struct AssetsAssembly: RoomAssembly {
  let table: AssetTable
  let collection: AssetCollection

  init(
    _ room: RoomResources,
    catalog: Catalog,
    usage: UsageTable,
    contents: (any AssetContents)?
  ) throws {
    table = try AssetTable(
      room.connection,
      codec: room.codec,
      usage: usage,
      catalog: catalog,
      contents: contents,
      wakeUp: room.wakeUp,
      pace: room.pace
    )
    collection = try AssetCollection(
      room.connection,
      limits: room.limits,
      usage: usage,
      catalog: catalog,
      contents: contents
    )
  }

  var participants: [any TransactionParticipant] { [collection] }
  var tasks: [any MaintenanceTask] { [collection] }
}
