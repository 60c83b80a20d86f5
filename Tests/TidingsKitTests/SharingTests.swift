import Foundation
import TestSupport
import Testing
import TidingsKit

/// Sharing, as samples for CloudKit do it.
@Suite(.endsServers) struct SharingTests {
  private let zoneID = CKRecordZone.ID(zoneName: "family")

  /// Saves with an operation, and waits.
  private func save(
    _ records: [CKRecord],
    deleting ids: [CKRecord.ID] = [],
    in database: CKDatabase
  ) async throws {
    let _: Void = try await withCheckedThrowingContinuation { continuation in
      let operation = CKModifyRecordsOperation(recordsToSave: records, recordIDsToDelete: ids)
      operation.modifyRecordsResultBlock = { continuation.resume(with: $0) }
      database.add(operation)
    }
  }

  private func shareList(
    _ kit: KitServer,
    with users: [String] = [],
    publicPermission: CKShare.ParticipantPermission = .none
  ) async throws -> (list: CKRecord, share: CKShare) {
    let container = kit.container()
    let database = container.privateCloudDatabase
    _ = try await database.save(CKRecordZone(zoneID: zoneID))
    let list = CKRecord(
      recordType: "Lists",
      recordID: CKRecord.ID(recordName: "list", zoneID: zoneID)
    )
    list["name"] = "Groceries"
    let item = CKRecord(
      recordType: "Items",
      recordID: CKRecord.ID(recordName: "milk", zoneID: zoneID)
    )
    item.setParent(list)
    item["name"] = "Milk"
    item["list"] = CKRecord.Reference(record: list, action: .none)
    let share = CKShare(rootRecord: list)
    share[CKShare.SystemFieldKey.title] = "Our groceries" as any CKRecordValue
    share[CKShare.SystemFieldKey.shareType] = "org.example.list"
    share.publicPermission = publicPermission
    for user in users {
      let participant = try await container.shareParticipant(
        forUserRecordID: CKRecord.ID(recordName: user)
      )
      participant.permission = .readWrite
      share.addParticipant(participant)
    }
    #expect(share.url == nil)
    #expect(list.share?.recordID == share.recordID)
    try await save([list, item, share], in: database)
    return (list, share)
  }

  @Test("a record is shared with all below it, joined by URL, read, changed and left")
  func whole() async throws {
    let kit = try await KitServer()
    let (ada, ben) = (kit.container(as: "ada"), kit.container(as: "ben"))
    let (list, share) = try await shareList(kit, with: ["ben"])
    let url = try #require(share.url)
    #expect(list.share?.recordID == share.recordID)
    #expect(share.owner.userIdentity.userRecordID?.recordName == "ada")
    #expect(share.owner.role == .owner)
    #expect(share.currentUserParticipant?.role == .owner)
    #expect(share.participants.count == 2)
    // The tag of the root is the one after it was shared: it can be saved again.
    list["name"] = "All groceries"
    try await save([list], in: ada.privateCloudDatabase)

    let metadata = try await ben.shareMetadata(for: url)
    #expect(metadata.share.recordID.recordName == share.recordID.recordName)
    #expect(metadata.share[CKShare.SystemFieldKey.title] == "Our groceries")
    #expect(metadata.hierarchicalRootRecordID?.recordName == "list")
    #expect(metadata.hierarchicalRootRecordID?.zoneID.ownerName == "ada")
    #expect(metadata.participantStatus == .pending)
    #expect(metadata.participantRole == .privateUser)
    #expect(metadata.participantPermission == .readWrite)
    #expect(metadata.ownerIdentity.userRecordID?.recordName == "ada")
    #expect(metadata.containerIdentifier == ben.containerIdentifier)

    let accepted = try await ben.accept(metadata)
    #expect(accepted.currentUserParticipant?.acceptanceStatus == .accepted)
    let shared = ben.sharedCloudDatabase
    let found = try await shared.record(for: try #require(metadata.hierarchicalRootRecordID))
    #expect(found["name"] as? String == "All groceries")
    #expect(found.share?.recordID == accepted.recordID)
    found["name"] = "Ben's groceries"
    try await save([found], in: shared)
    #expect(found.lastModifiedUserRecordID?.recordName == "ben")
    let fetchedShare = try await shared.record(for: accepted.recordID)
    #expect((fetchedShare as? CKShare)?.currentUserParticipant?.permission == .readWrite)

    // What belongs to the root says so; a participant adds to it.
    let milk = try await shared.record(
      for: CKRecord.ID(recordName: "milk", zoneID: found.recordID.zoneID)
    )
    #expect(milk.parent?.recordID == found.recordID)
    #expect((milk["list"] as? CKRecord.Reference)?.recordID == found.recordID)
    let bread = CKRecord(recordType: "Items", zoneID: found.recordID.zoneID)
    bread.setParent(found)
    bread["list"] = CKRecord.Reference(record: found, action: .none)
    let file = URL(fileURLWithPath: kit.server.folder.file("bread.jpg"))
    try Data("bread".utf8).write(to: file)
    bread["photo"] = CKAsset(fileURL: file)
    milk["list"] = milk["list"] as? CKRecord.Reference
    let results = try await shared.modifyRecords(saving: [bread, milk], deleting: [])
    for result in results.saveResults.values { #expect(result.failure == nil) }
    let added = try await ada.privateCloudDatabase.record(
      for: CKRecord.ID(recordName: bread.recordID.recordName, zoneID: zoneID)
    )
    #expect(added.parent?.recordID == list.recordID)
    #expect(added.creatorUserRecordID?.recordName == "ben")
    let photo = try #require((added["photo"] as? CKAsset)?.fileURL)
    #expect(try Data(contentsOf: photo) == Data("bread".utf8))
    // An asset that the owner has is another participant's to send.
    milk["photo"] = try await shared.record(for: bread.recordID)["photo"] as? CKAsset
    try await shared.save(milk)

    // A share is compared like any record.
    share.publicPermission = .readOnly
    let stale = await #expect(throws: CKError.self) {
      try await save([share], in: ada.privateCloudDatabase)
    }
    let conflict = stale?.partialErrorsByItemID?[share.recordID] as? CKError
    let stored = try #require(conflict?.serverRecord as? CKShare)
    #expect(stored.participants.last?.acceptanceStatus == .accepted)
    stored.publicPermission = .readOnly
    stored.participants.first { $0.role != .owner }?.permission = .readOnly
    try await save([stored], in: ada.privateCloudDatabase)
    found["name"] = "No more"
    await #expect(throws: CKError.self) { try await save([found], in: shared) }

    try await save([], deleting: [accepted.recordID], in: shared)
    await #expect(throws: CKError.self) { _ = try await shared.record(for: found.recordID) }
    try await save([], deleting: [share.recordID], in: ada.privateCloudDatabase)
    let kept = try await ada.privateCloudDatabase.record(for: list.recordID)
    #expect(kept.share == nil)
    #expect(kept["name"] as? String == "Ben's groceries")
  }

  @Test("a zone is shared with anyone who has the URL, in operations and completion handlers")
  func zoneWide() async throws {
    let kit = try await KitServer()
    let (ada, ben) = (kit.container(as: "ada"), kit.container(as: "ben"))
    let database = ada.privateCloudDatabase
    _ = try await database.save(CKRecordZone(zoneID: zoneID))
    let share = CKShare(recordZoneID: zoneID)
    #expect(share.recordID.recordName == CKRecordNameZoneWideShare)
    share.publicPermission = .readOnly
    try await save([share], in: database)
    let url = try #require(share.url)

    let metadata: CKShareMetadata = try await withCheckedThrowingContinuation { continuation in
      let operation = CKFetchShareMetadataOperation(shareURLs: [url])
      operation.shouldFetchRootRecord = true
      operation.perShareMetadataBlock = { _, metadata, error in
        if let metadata {
          continuation.resume(returning: metadata)
        } else {
          continuation.resume(throwing: error ?? CKError(.internalError))
        }
      }
      operation.fetchShareMetadataCompletionBlock = { #expect($0 == nil) }
      ben.add(operation)
    }
    #expect(metadata.hierarchicalRootRecordID == nil)
    #expect(metadata.participantPermission == .readOnly)
    #expect(metadata.participantStatus == .pending)

    let accepted: CKShare = try await withCheckedThrowingContinuation { continuation in
      let operation = CKAcceptSharesOperation(shareMetadatas: [metadata])
      operation.perShareResultBlock = { continuation.resume(with: $1) }
      operation.qualityOfService = .userInitiated
      ben.add(operation)
    }
    #expect(accepted.currentUserParticipant?.role == .publicUser)
    #expect(accepted.recordID.zoneID.ownerName == "ada")
    let again: CKShare? = await withCheckedContinuation { continuation in
      ben.accept(metadata) { share, _ in continuation.resume(returning: share) }
    }
    #expect(again?.recordID == accepted.recordID)

    // Owners look at their own, too.
    let own: CKShare.Metadata? = await withCheckedContinuation { continuation in
      ada.fetchShareMetadata(with: url) { metadata, _ in continuation.resume(returning: metadata) }
    }
    #expect(own?.participantRole == .owner)
    #expect(own?.share.recordID == share.recordID)
  }

  @Test("what is not there fails for itself, and says so")
  func failures() async throws {
    let kit = try await KitServer()
    let (ada, cleo) = (kit.container(as: "ada"), kit.container(as: "cleo"))
    let (_, share) = try await shareList(kit, with: ["ben"])
    let url = try #require(share.url)
    do {
      _ = try await cleo.shareMetadata(for: url)
      Issue.record("nobody invited cleo")
    } catch CKError.unknownItem {
    } catch {
      Issue.record("\(error)")
    }
    let missing = try #require(URL(string: "tidings://share/default/development/nothing"))
    let both = try await ada.shareMetadatas(for: [url, missing], shouldFetchRootRecord: true)
    #expect(try both[url]?.get().rootRecord?["name"] as? String == "Groceries")
    #expect(throws: CKError.self) { try both[missing]?.get() }

    let error: (any Error)? = await withCheckedContinuation { continuation in
      let operation = CKFetchShareMetadataOperation(shareURLs: [missing])
      operation.fetchShareMetadataResultBlock = { continuation.resume(returning: $0.failure) }
      ada.add(operation)
    }
    let partial = error as? CKError
    #expect(partial?.code == .partialFailure)
    #expect(partial?.partialErrorsByItemID?[missing] != nil)
  }

  @Test("shares, participants and metadata survive archives and copies")
  func archives() async throws {
    let kit = try await KitServer()
    let (_, share) = try await shareList(kit, with: ["ben"])
    let data = try NSKeyedArchiver.archivedData(withRootObject: share, requiringSecureCoding: true)
    let copy = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKShare.self, from: data)
    )
    #expect(copy.url == share.url)
    #expect(copy.participants == share.participants)
    #expect(copy.currentUserParticipant?.role == .owner)
    let twin = try #require(share.copy() as? CKShare)
    twin.participants.last?.permission = .readOnly
    #expect(share.participants.last?.permission == .readWrite)
    #expect(twin.participants.last?.permission == .readOnly)
    twin.removeParticipant(twin.participants[1])
    #expect(twin.participants.count == 1 && share.participants.count == 2)

    let metadata = try await kit.container(as: "ben").shareMetadata(
      for: try #require(share.url)
    )
    let archived = try NSKeyedArchiver.archivedData(
      withRootObject: metadata,
      requiringSecureCoding: true
    )
    let back = try NSKeyedUnarchiver.unarchivedObject(
      ofClass: CKShare.Metadata.self,
      from: archived
    )
    #expect(back == metadata)
    #expect(back?.share.url == share.url)
    #expect(back?.participantPermission == .readWrite)
  }

  @Test("a stranger asks for access, and is let in, denied or blocked")
  func accessRequests() async throws {
    let kit = try await KitServer()
    let ada = kit.container(as: "ada")
    let (_, share) = try await shareList(kit)
    share.allowsAccessRequests = true
    try await save([share], in: ada.privateCloudDatabase)
    let url = try #require(share.url)
    let nowhere = try #require(URL(string: "tidings://share/x"))
    for user in ["ben", "cleo", "dora"] {
      let results = try await kit.container(as: user).requestShareAccess(for: [url, nowhere])
      #expect(results[url]?.failure == nil)
      #expect((results[nowhere]?.failure as? CKError)?.code == .unknownItem)
    }
    let asked = try #require(
      try await ada.privateCloudDatabase.record(for: share.recordID) as? CKShare
    )
    #expect(asked.allowsAccessRequests)
    let names = asked.requesters.map { $0.userIdentity.userRecordID?.recordName }
    #expect(names == ["ben", "cleo", "dora"])
    let archived = try NSKeyedArchiver.archivedData(
      withRootObject: asked.requesters[0],
      requiringSecureCoding: true
    )
    let unarchived = try NSKeyedUnarchiver.unarchivedObject(
      ofClass: CKShare.AccessRequester.self,
      from: archived
    )
    #expect(unarchived == asked.requesters[0])

    let wanted = try #require(asked.requesters[0].participantLookupInfo.userRecordID)
    let participant = try await ada.shareParticipant(forUserRecordID: wanted)
    participant.permission = .readWrite
    asked.addParticipant(participant)
    asked.denyRequesters([asked.requesters[1]])
    asked.blockRequesters([asked.requesters[1]])
    try await save([asked], in: ada.privateCloudDatabase)
    #expect(asked.requesters == [])
    #expect(asked.blockedIdentities.map { $0.userIdentity.userRecordID?.recordName } == ["dora"])
    let ben = kit.container(as: "ben")
    let accepted = try await ben.accept(ben.shareMetadata(for: url))
    #expect(accepted.blockedIdentities == [])
    asked.unblockIdentities(asked.blockedIdentities)
    #expect(asked.blockedIdentities == [])
  }

  @Test("a one-time URL is for one user; an administrator changes the share in the shared database")
  func oneTimeURLAndAdministrator() async throws {
    let kit = try await KitServer()
    let (ada, ben) = (kit.container(as: "ada"), kit.container(as: "ben"))
    let (_, share) = try await shareList(kit)
    let guest = CKShare.Participant.oneTimeURLParticipant()
    guest.permission = .readWrite
    share.addParticipant(guest)
    #expect(share.oneTimeURL(for: guest.participantID) == nil)
    try await save([share], in: ada.privateCloudDatabase)
    let url = try #require(share.oneTimeURL(for: guest.participantID))
    #expect(share.participants.count == 2)
    let metadata = try await ben.shareMetadata(for: url)
    #expect(metadata.participantPermission == .readWrite)
    let accepted = try await ben.accept(metadata)
    #expect(accepted.url == share.url)
    await #expect(throws: CKError.self) {
      try await kit.container(as: "cleo").shareMetadata(for: url)
    }

    let joined = try #require(
      try await ada.privateCloudDatabase.record(for: share.recordID) as? CKShare
    )
    let taken = try #require(joined.participants.first { $0.participantID == guest.participantID })
    #expect(taken.userIdentity.userRecordID?.recordName == "ben")
    taken.role = .administrator
    try await save([joined], in: ada.privateCloudDatabase)
    let theirs = try #require(
      try await ben.sharedCloudDatabase.record(for: accepted.recordID) as? CKShare
    )
    #expect(theirs.currentUserParticipant?.role == .administrator)
    theirs.publicPermission = .readOnly
    try await save([theirs], in: ben.sharedCloudDatabase)
    let changed = try await ada.privateCloudDatabase.record(for: share.recordID) as? CKShare
    #expect(changed?.publicPermission == .readOnly)
  }
}
