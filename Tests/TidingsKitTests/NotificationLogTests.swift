import Foundation
import TestSupport
import Testing
import TidingsKit

@Suite(.endsServers) struct NotificationLogTests {
  @Test("the log is read in pages, with a token that outlives the program")
  func pages() async throws {
    let kit = try await KitServer()
    let (phone, laptop) = (kit.container(device: "phone"), kit.container(device: "laptop"))
    try await phone.privateCloudDatabase.subscribe(to: "Words")
    let names = (0..<7).map { "word \($0)" }
    for name in names { try await laptop.privateCloudDatabase.save("Words", name) }

    var (heard, token, pages): ([String], CKServerChangeToken?, Int) = ([], nil, 0)
    var moreComing = true
    while moreComing {
      let page = await fetch(phone, after: token, limit: 3)
      #expect(page.error == nil)
      heard += page.notifications.map { $0.recordName }
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: try #require(page.token),
        requiringSecureCoding: true
      )
      token = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: data)
      moreComing = page.moreComing
      pages += 1
    }
    #expect(heard == names)
    #expect(pages >= 3)
    // What the laptop did itself is not changes to it.
    #expect(await fetch(laptop, after: nil, limit: 0).notifications.isEmpty)
    #expect(await fetch(phone, after: token, limit: 0).notifications.isEmpty)
  }

  @Test("what one device marks read, the others are notified of as read")
  func marks() async throws {
    let kit = try await KitServer()
    let containers = ["phone", "tablet"].map { kit.container(device: $0) }
    let (phone, tablet) = (containers[0], containers[1])
    let writer = kit.container(device: "laptop").privateCloudDatabase
    try await phone.privateCloudDatabase.subscribe(to: "Words")
    let reader = PushReader()
    try await reader.register(with: phone)
    for name in ["a", "b"] { try await writer.save("Words", name) }
    try await reader.wait(for: 2)
    let before = await fetch(tablet, after: nil, limit: 0)
    let logged = try #require(before.notifications.first as? CKQueryNotification)
    #expect(logged.recordID?.recordName == "a" && !logged.isPruned)
    #expect(logged.subscriptionOwnerUserRecordID?.recordName == "ada")
    // The push and the log name it alike, also after an archive.
    let pushed = try #require(reader.notifications.value.first)
    #expect(pushed.notificationID == logged.notificationID)
    let data = try NSKeyedArchiver.archivedData(withRootObject: pushed, requiringSecureCoding: true)
    let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQueryNotification.self, from: data)
    let id = try #require(read?.notificationID)
    #expect(id == logged.notificationID && read?.recordID == logged.recordID)

    let unknown = try #require(CKNotification.ID.archived("unknown-1"))
    let ends = Observed<[(Int?, CKError?)]>([])
    let mark = CKMarkNotificationsReadOperation(notificationIDsToMarkRead: [id, unknown])
    mark.markNotificationsReadCompletionBlock = { marked, error in
      ends.update { $0.append((marked?.count, error as? CKError)) }
    }
    phone.add(mark)
    let (count, error) = try #require(try await ends.wait("the end") { !$0.isEmpty }.first)
    #expect(count == 1)
    #expect(error?.code == .partialFailure)
    #expect((error?.partialErrorsByItemID?[unknown] as? CKError)?.code == .invalidArguments)
    let after = await fetch(tablet, after: before.token, limit: 0)
    #expect(after.notifications.map(\.notificationType) == [.readNotification])
    #expect(after.notifications.first?.notificationID == id)
    let anew = await fetch(tablet, after: nil, limit: 0)
    #expect(anew.notifications.filter { $0 is CKQueryNotification }.map(\.recordName) == ["b"])
    #expect(ends.value.count == 1)
  }

  @Test("the badge is set, and pushes count on from it")
  func badge() async throws {
    let kit = try await KitServer()
    let phone = kit.container(device: "phone")
    let writer = kit.container(device: "laptop").privateCloudDatabase
    let info = CKSubscription.NotificationInfo(shouldBadge: true)
    try await phone.privateCloudDatabase.subscribe(to: "Words", .firesOnRecordCreation, info)
    let reader = PushReader()
    try await reader.register(with: phone)
    try await writer.save("Words", "a")
    try await reader.wait(for: 1)
    let errors = Observed<[String]>([])
    let reset = CKModifyBadgeOperation(badgeValue: 40)
    reset.modifyBadgeCompletionBlock = { error in errors.update { $0.append("\(error as Any)") } }
    phone.add(reset)
    try await errors.wait("the end") { !$0.isEmpty }
    #expect(errors.value == ["nil"])
    try await writer.save("Words", "b")
    try await reader.wait(for: 2)
    #expect(reader.notifications.value.map(\.badge) == [1, 41])
  }

  @Test("a log that cannot be reached is reported once, and an expired token by its code")
  func failures() async throws {
    let kit = try await KitServer()
    let expired = CKServerChangeToken.archived([1, 2, 3])
    let page = await fetch(kit.container(), after: expired, limit: 0)
    #expect(page.token == nil && page.error != nil)
    let cancelled = CKFetchNotificationChangesOperation(previousServerChangeToken: nil)
    cancelled.container = kit.container()
    let ends = Observed<[CKError.Code?]>([])
    cancelled.fetchNotificationChangesCompletionBlock = { _, error in
      ends.update { $0.append((error as? CKError)?.code) }
    }
    cancelled.completionBlock = { ends.update { $0.append(nil) } }
    cancelled.cancel()
    OperationQueue().addOperation(cancelled)
    #expect(try await ends.wait("the end") { $0.contains(nil) } == [.operationCancelled, nil])
  }

  private struct Page: Sendable {
    var notifications: [CKNotification] = []
    var token: CKServerChangeToken?
    var error: (any Error)?
    var moreComing = false
  }

  private func fetch(
    _ container: CKContainer,
    after token: CKServerChangeToken?,
    limit: Int
  ) async -> Page {
    let operation = CKFetchNotificationChangesOperation(previousServerChangeToken: token)
    operation.resultsLimit = limit
    let heard = Observed<[CKNotification]>([])
    operation.notificationChangedBlock = { notification in heard.update { $0.append(notification) }
    }
    return await withCheckedContinuation { continuation in
      operation.fetchNotificationChangesCompletionBlock = { [unowned operation] token, error in
        continuation.resume(
          returning: Page(
            notifications: heard.value,
            token: token,
            error: error,
            moreComing: operation.moreComing
          )
        )
      }
      container.add(operation)
    }
  }
}

extension CKNotification {
  var recordName: String { (self as? CKQueryNotification)?.recordID?.recordName ?? "?" }
}

extension CKNotification.ID {
  /// As an application could have kept it.
  static func archived(_ name: String) -> CKNotification.ID? {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.encode(NSString(string: name), forKey: "id")
    archiver.finishEncoding()
    return (try? NSKeyedUnarchiver(forReadingFrom: archiver.encodedData))
      .flatMap { CKNotification.ID(coder: $0) }
  }
}

extension CKServerChangeToken {
  /// As an application could have kept it.
  static func archived(_ bytes: [UInt8]) -> CKServerChangeToken? {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    archiver.encode(Data(bytes) as NSData, forKey: "token")
    archiver.finishEncoding()
    return (try? NSKeyedUnarchiver(forReadingFrom: archiver.encodedData))
      .flatMap { CKServerChangeToken(coder: $0) }
  }
}
