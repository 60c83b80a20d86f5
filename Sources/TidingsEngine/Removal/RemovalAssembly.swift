/// Deleted zones that still have rows.
struct RemovalAssembly: RoomAssembly {
  let table: ZoneRemovalTable
  let channels: RemovalChannels

  init(_ room: RoomResources, catalog: Catalog, channels registry: ChannelRegistry) throws {
    table = try ZoneRemovalTable(room.connection, catalog: catalog)
    channels = try RemovalChannels(room.connection, removals: table, channels: registry)
  }

  var participants: [any TransactionParticipant] { [table, channels] }
}
