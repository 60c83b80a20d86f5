import Foundation
import TestSupport
import Testing
import TidingsKit

/// Users' records, and whom users find.
@Suite(.endsServers) struct IdentityTests {
  private func discovered(by container: CKContainer) async throws -> [CKUserIdentity] {
    try await withCheckedThrowingContinuation { continuation in
      container.discoverAllIdentities { identities, error in
        continuation.resume(
          with: error.map { .failure($0) } ?? .success(identities ?? [])
        )
      }
    }
  }

  private func currentUserRecord(
    in database: CKDatabase
  ) async throws -> CKRecord {
    let records = Collector<CKRecord>()
    let operation = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
    operation.perRecordResultBlock = { _, result in
      if case .success(let record) = result { records.append(record) }
    }
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      operation.fetchRecordsResultBlock = { continuation.resume(with: $0) }
      database.add(operation)
    }
    return try #require(records.values.first)
  }

  @Test("several users are found and invited with one request")
  func several() async throws {
    let kit = try await KitServer()
    let (ada, ben) = (kit.container(as: "ada"), kit.container(as: "ben"))
    try await ben.publishIdentity(.init(displayName: "Ben", emailAddress: "ben@example.com"))
    let (benID, noneID) = (try await ben.userRecordID(), CKRecord.ID(recordName: "nobody"))
    let byID = try await ada.userIdentities(forUserRecordIDs: [benID, noneID])
    #expect(byID.keys.map(\.recordName) == [benID.recordName])
    let found: Result<[String: CKUserIdentity], any Error> = await withCheckedContinuation {
      waiting in
      ada.discoverUserIdentities(forEmailAddresses: ["ben@example.com", "x@example.com"]) {
        waiting.resume(returning: $0)
      }
    }
    #expect(try found.get().mapValues(\.userRecordID) == ["ben@example.com": benID])
    let info = CKUserIdentity.LookupInfo(userRecordID: benID)
    let missing = CKUserIdentity.LookupInfo(emailAddress: "x@example.com")
    let participants = try await ada.shareParticipants(for: [info, missing])
    #expect(try participants[info]?.get().userIdentity.userRecordID == benID)
    #expect(throws: CKError.self) { try participants[missing]?.get() }
  }

  @Test("the current user's record is fetched, saved, and read by others")
  func userRecord() async throws {
    let kit = try await KitServer()
    let (ada, ben) = (kit.container(as: "ada"), kit.container(as: "ben"))
    let id = try await ada.userRecordID()
    for database in [ada.publicCloudDatabase, ada.privateCloudDatabase] {
      let record = try await currentUserRecord(in: database)
      #expect(record.recordID == id && record.recordType == CKRecord.SystemType.userRecord)
      #expect(record.allKeys().isEmpty && record.recordChangeTag == nil)
      record["nick"] = "countess"
      try await database.save(record)
      let again = try await database.record(for: id)
      #expect(again["nick"] as? String == "countess" && again.creatorUserRecordID == id)
      again["nick"] = "enchantress"
      try await database.save(again)
    }
    let seen = try await ben.publicCloudDatabase.record(for: id)
    #expect(seen["nick"] as? String == "enchantress")
    seen["nick"] = "liar"
    await #expect {
      try await ben.publicCloudDatabase.save(seen)
    } throws: {
      ($0 as? CKError)?.code == .permissionFailure
    }
    await #expect {
      try await ada.privateCloudDatabase.deleteRecord(withID: id)
    } throws: {
      ($0 as? CKError)?.code == .permissionFailure
    }
    let query = CKQuery(recordType: "Users", predicate: NSPredicate(value: true))
    await #expect {
      try await ada.publicCloudDatabase.records(matching: query)
    } throws: {
      ($0 as? CKError)?.code == .permissionFailure
    }
  }

  @Test("who asked for it is discovered, by record name and by what is published, until withdrawn")
  func discoverability() async throws {
    let kit = try await KitServer()
    let (ada, ben) = (kit.container(as: "ada"), kit.container(as: "ben"))
    let id = try await ada.userRecordID()
    #expect(try await ada.applicationPermissionStatus(for: .userDiscoverability) == .initialState)
    #expect(try await ben.userIdentity(forUserRecordID: id) == nil)
    #expect(try await discovered(by: ben).isEmpty)

    let status: CKContainer.ApplicationPermissionStatus = await withCheckedContinuation {
      continuation in
      ada.requestApplicationPermission(.userDiscoverability) { status, error in
        #expect(error == nil)
        continuation.resume(returning: status)
      }
    }
    #expect(status == .granted)
    #expect(try await ada.applicationPermissionStatus(for: .userDiscoverability) == .granted)
    #expect(try await ben.applicationPermissionStatus(for: .userDiscoverability) == .initialState)
    let plain = try #require(try await ben.userIdentity(forUserRecordID: id))
    #expect(plain.userRecordID == id && plain.nameComponents == nil)
    #expect(try await ben.userIdentity(forEmailAddress: "ada@example.com") == nil)

    try await ada.publishIdentity(
      .init(displayName: "Ada L.", emailAddress: "Ada@example.com", phoneNumber: "+49 30 1234567")
    )
    // A permission that is given already takes nothing back.
    _ = try await ada.requestApplicationPermission(.userDiscoverability)
    #expect(
      try await ada.publishedIdentity()
        == .init(
          displayName: "Ada L.",
          emailAddress: "ada@example.com",
          phoneNumber: "+49301234567"
        )
    )
    for identity in [
      try await ben.userIdentity(forUserRecordID: id),
      try await ben.userIdentity(forEmailAddress: "ADA@example.com"),
      try await ben.userIdentity(forPhoneNumber: "+49301234567"),
      try await discovered(by: ben).first,
    ] {
      #expect(identity?.userRecordID == id && identity?.nameComponents?.nickname == "Ada L.")
    }
    let infos = [
      CKUserIdentity.LookupInfo(emailAddress: "ada@example.com"),
      .init(userRecordID: .init(recordName: "cleo")),
    ]
    let found: [CKUserIdentity.LookupInfo?] = await withCheckedContinuation { continuation in
      let operation = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: infos)
      let identities = Collector<CKUserIdentity>()
      operation.userIdentityDiscoveredBlock = { identity, _ in identities.append(identity) }
      operation.discoverUserIdentitiesCompletionBlock = { error in
        #expect(error == nil)
        continuation.resume(returning: identities.values.map(\.lookupInfo))
      }
      ben.add(operation)
    }
    #expect(found == [infos[0]])

    try await ada.withdrawIdentity()
    #expect(try await ada.applicationPermissionStatus(for: .userDiscoverability) == .initialState)
    #expect(try await ben.userIdentity(forEmailAddress: "ada@example.com") == nil)
    #expect(try await ben.userIdentity(forUserRecordID: id) == nil)
    #expect(try await discovered(by: ben).isEmpty)
  }

  @Test("an invite screen finds participants by record name, and by an address that is published")
  func participants() async throws {
    let kit = try await KitServer()
    let (ada, ben) = (kit.container(as: "ada"), kit.container(as: "ben"))
    func participant(_ email: String) async throws -> CKShare.Participant? {
      try await withCheckedThrowingContinuation { continuation in
        ada.fetchShareParticipant(withEmailAddress: email) { participant, error in
          continuation.resume(with: error.map { .failure($0) } ?? .success(participant))
        }
      }
    }
    let byName = try await ada.shareParticipant(forUserRecordID: CKRecord.ID(recordName: "ben"))
    #expect(byName.userIdentity.userRecordID?.recordName == "ben")
    #expect(byName.role == .privateUser && byName.acceptanceStatus == .pending)
    await #expect(throws: (any Error).self) { _ = try await participant("ben@example.com") }
    try await ben.publishIdentity(.init(displayName: "Ben", emailAddress: "ben@example.com"))
    let found = try await participant("ben@example.com")
    #expect(found?.userIdentity.userRecordID?.recordName == "ben")
    #expect(found?.userIdentity.nameComponents?.nickname == "Ben")
  }

  @Test("without a user there is no permission and nobody to be found")
  func guest() async throws {
    let kit = try await KitServer()
    let nobody = kit.container(as: "")
    for call in [
      { _ = try await nobody.applicationPermissionStatus(for: .userDiscoverability) },
      { _ = try await nobody.requestApplicationPermission(.userDiscoverability) },
      { _ = try await nobody.allUserIdentitiesFromContacts() },
    ] as [@Sendable () async throws -> Void] {
      await #expect {
        try await call()
      } throws: {
        ($0 as? CKError)?.code == .notAuthenticated
      }
    }
  }
}
