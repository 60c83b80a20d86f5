// Calls a server with TidingsKit within spans, each of which is an operand: the tests look at what the server's spans say.
//
// usage: tidings-kit-traces ENDPOINT FUNCTION OPERATION HANDLER

import TidingsKit

var connection = CKContainer.Connection.fromEnvironment
connection.endpoints = [CommandLine.arguments[1]]
connection.user = "ada"
let container = CKContainer(connection)
let database = container.privateCloudDatabase
let (function, operation, handler) = (
  CommandLine.arguments[2], CommandLine.arguments[3], CommandLine.arguments[4]
)

func record(_ name: String) -> CKRecord {
  CKRecord(recordType: "Things", recordID: CKRecord.ID(recordName: name))
}

// In the task of the span.
try await CKContainer.$traceParent.withValue(function) {
  _ = try await database.save(record("function"))
}

// On a queue, long after the span was left.
let saving = CKContainer.$traceParent.withValue(operation) {
  CKModifyRecordsOperation(recordsToSave: [record("operation")])
}
try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
  saving.modifyRecordsResultBlock = { done.resume(with: $0) }
  database.add(saving)
}

// With a completion handler.
try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
  CKContainer.$traceParent.withValue(handler) {
    database.save(record("handler")) { _, error in
      if let error { done.resume(throwing: error) } else { done.resume() }
    }
  }
}

// Outside of them: a part of what the environment says.
_ = try await database.recordZone(for: .default)
try await CKContainer.$traceParent.withValue("no traceparent") {
  _ = try await database.save(record("none"))
}
