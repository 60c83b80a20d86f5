import Foundation
import Synchronization
import TestSupport
import Testing

#if canImport(CloudKit)
import CloudKit
#else
import TidingsKit
#endif

/// A list of words on every device of a user; what was missed is found in the log of notifications.
private final class WordList: Sendable {
  private struct State {
    var words: Set<String> = []
    var readCount = 0
  }

  private let container: CKContainer
  private let defaults: URL
  private let state = Mutex(State())

  var words: Set<String> { state.withLock { $0.words } }
  var readCount: Int { state.withLock { $0.readCount } }

  /// A list whose change token is kept in a file from one start to the next.
  init(_ container: CKContainer, defaults: URL) {
    self.container = container
    self.defaults = defaults
  }

  /// The token of the last fetch, of this start or an earlier one.
  private var token: CKServerChangeToken? {
    get {
      guard let data = try? Data(contentsOf: defaults) else { return nil }
      return try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: data)
    }
    set {
      guard let newValue else { return }
      let data = try? NSKeyedArchiver.archivedData(
        withRootObject: newValue,
        requiringSecureCoding: true
      )
      try? data?.write(to: defaults)
    }
  }

  func add(_ word: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
    let record = CKRecord(recordType: "Word", recordID: CKRecordID(recordName: word))
    let operation = CKModifyRecordsOperation(recordsToSave: [record], recordIDsToDelete: nil)
    operation.modifyRecordsCompletionBlock = { [weak self] _, _, error in
      if error == nil { self?.state.withLock { _ = $0.words.insert(word) } }
      completion(error)
    }
    container.privateCloudDatabase.add(operation)
  }

  /// Fetches what was missed, and marks it read.
  func sync(completion: @escaping @Sendable ((any Error)?) -> Void) {
    let operation = CKFetchNotificationChangesOperation(previousServerChangeToken: token)
    operation.resultsLimit = 2
    let ids = Observed<[CKNotificationID]>([])
    operation.notificationChangedBlock = { notification in
      guard let query = notification as? CKQueryNotification, let recordID = query.recordID else {
        return
      }
      if let id = query.notificationID { ids.update { $0.append(id) } }
      self.state.withLock {
        if query.queryNotificationReason == .recordDeleted {
          $0.words.remove(recordID.recordName)
        } else {
          $0.words.insert(recordID.recordName)
        }
      }
    }
    operation.fetchNotificationChangesCompletionBlock = { [unowned operation] token, error in
      if let error { return completion(error) }
      self.token = token
      let moreComing = operation.moreComing
      self.markRead(ids.value) { error in
        if error == nil, moreComing {
          self.sync(completion: completion)
        } else {
          completion(error)
        }
      }
    }
    container.add(operation)
  }

  private func markRead(
    _ ids: [CKNotificationID],
    completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    let operation = CKMarkNotificationsReadOperation(notificationIDsToMarkRead: ids)
    operation.markNotificationsReadCompletionBlock = { marked, error in
      self.state.withLock { $0.readCount += marked?.count ?? 0 }
      completion(error)
    }
    container.add(operation)
  }
}

@Suite(.endsServers) struct WordListExampleTests {
  @Test("a word list: what was missed comes with the next start, once, and is marked read")
  func words() async throws {
    let kit = try await KitServer()
    let folder = try TemporaryFolder()
    let (phone, laptop) = (kit.container(device: "phone"), kit.container(device: "laptop"))
    try await phone.privateCloudDatabase.subscribe(to: "Word")
    let file = URL(fileURLWithPath: folder.file("token"))
    let writer = WordList(laptop, defaults: URL(fileURLWithPath: folder.file("laptop")))
    for word in ["ant", "bee", "cat"] { try await call { writer.add(word, completion: $0) } }

    let first = WordList(phone, defaults: file)
    try await call { first.sync(completion: $0) }
    #expect(first.words == ["ant", "bee", "cat"])
    #expect(first.readCount == 3)

    // The phone is off; the list on it begins where the token says.
    for word in ["dog", "elk", "fox"] { try await call { writer.add(word, completion: $0) } }
    try await laptop.privateCloudDatabase.deleteRecord(withID: .init(recordName: "dog"))
    let second = WordList(phone, defaults: file)
    try await call { second.sync(completion: $0) }
    #expect(second.words == ["elk", "fox"])
    #expect(second.readCount == 4)
    try await call { second.sync(completion: $0) }
    #expect(second.readCount == 4)
  }

  private func call(
    _ body: (@escaping @Sendable ((any Error)?) -> Void) -> Void
  ) async throws {
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      body { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
  }
}
