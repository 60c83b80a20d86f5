import TestSupport
import TidingsClient
import TidingsProto
import TidingsProtobuf

/// A save of about 5 MiB, in a private database.
struct LargeBatch {
  static let database = TidingsV1.DatabaseID(container: "t", scope: .private)

  let records: [TidingsV1.Record]

  /// A batch whose records have names that begin so.
  init(_ prefix: String) {
    let text = String(repeating: "0123456789", count: 95_000)
    records = (0..<5).map {
      TidingsV1.Record("Pages", "\(prefix)-\($0)", ["text": .init(stringLiteral: text)])
    }
  }

  /// The frames of a call that saves it.
  func frames(as user: String, id: UInt64 = 1) -> [[UInt8]] {
    let request = TidingsV1.ModifyRecordsRequest(
      databaseID: Self.database,
      recordsToSave: records,
      savePolicy: .allKeys
    )
    var call = RawCall(RawCall.modifyRecords, request.encoded(), as: user)
    call.header.callID = id
    return [call.header.encoded(), call.body]
  }
}
