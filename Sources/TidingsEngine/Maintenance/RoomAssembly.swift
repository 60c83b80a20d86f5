internal import TidingsCodec
internal import TidingsMemory
internal import TidingsSQL

/// What every room of the engine is made with.
struct RoomResources {
  let connection: any SQLConnection
  /// Where rows are read before the calls of a group need them; `nil`: nowhere.
  let readingAhead: (any SQLConnection)?
  let codec: BodyCodec
  let limits: Limits
  let secret: [UInt8]
  let pace: Pace
  let wakeUp = WakeUpFlag()
  let remembered: RememberedCount

  /// What rows of each of two tables may take that are read ahead: a store of which that is done keeps no pages here.
  var bytesAheadMax: Int { limits.memory[.readerPages] / 2 }
}

/// The parts of one room, made once with the engine.
protocol RoomAssembly {
  /// The parts that follow transactions, in their order.
  var participants: [any TransactionParticipant] { get }
  /// The room's work between calls.
  var tasks: [any MaintenanceTask] { get }
}

extension RoomAssembly {
  var participants: [any TransactionParticipant] { [] }
  var tasks: [any MaintenanceTask] { [] }
}
