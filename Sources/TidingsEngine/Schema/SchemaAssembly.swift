/// Record types, and the indexes that they declare.
struct SchemaAssembly: RoomAssembly {
  let indexes: IndexRegistry
  let table: SchemaTable
  let changes: ModifySchema

  init(_ room: RoomResources) throws {
    indexes = try IndexRegistry(room.connection, wakeUp: room.wakeUp)
    table = try SchemaTable(room.connection, indexes: indexes, limits: room.limits)
    changes = try ModifySchema(room.connection, schemas: table, limits: room.limits)
  }

  var participants: [any TransactionParticipant] { [table, indexes] }
}
