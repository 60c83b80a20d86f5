import BenchCore
import TidingsProto
import TidingsRPC

/// What is saved, and what the server has to do for it.
enum SaveVariant: String, CaseIterable {
  /// New records of 8 fields.
  case new
  /// The same again, in existing ones.
  case update
  /// New records of one field, as a program without the Swift library sends them.
  case field = "field.new"
  case fieldUpdate = "field.update"
  /// New records, each of which fires subscriptions.
  case fired
  /// New records, each with entries in indexes.
  case indexed

  /// What its figures are called.
  var name: String { "save.\(rawValue)" }
  /// Records that the calls are about; 0: always new ones.
  var recordCount: Int { isUpdate ? Calls.recordCount : 0 }

  private var isUpdate: Bool { self == .update || self == .fieldUpdate }
  private var numbers: NumberSequence { isUpdate ? .existing(recordCount) : .fresh }

  /// The calls of the server.
  var calls: CallSequence {
    let (name, serial) = (CallTemplate.namePlaceholder, CallTemplate.serialPlaceholder)
    let record =
      switch self {
      case .field, .fieldUpdate: Calls.fieldRecord(name, serial: serial)
      case .fired: Calls.record(name, serial: serial, type: Calls.watchedType)
      case .new, .update, .indexed: Calls.record(name, serial: serial)
      }
    return CallSequence(Calls.save([record], updates: isUpdate), numbers, check: .oneRecord)
  }

  /// The calls of the floor service.
  var floorCalls: CallSequence { FloorMessage.calls(.save, numbers) }

  /// Makes the subscriptions or the indexes.
  func prepare(_ bench: Bench, _ server: ServerProcess) throws {
    switch self {
    case .fired: _ = try PushCase.subscribe(bench, server, count: bench.settings.fired)
    case .indexed:
      let client = try RawClient(
        bench.context,
        endpoint: server.endpoint,
        metadata: Calls.metadata
      )
      // With its first record the type exists.
      _ = try client.call(
        TidingsV1.RecordService.Methods.modifyRecords,
        Calls.saving([Calls.record("first", serial: "first")], updates: false),
        TidingsV1.ModifyRecordsResponse.self
      )
      try client.declareIndexes(of: Calls.indexableFields.prefix(bench.settings.indexes))
    case .new, .update, .field, .fieldUpdate: break
    }
  }
}
