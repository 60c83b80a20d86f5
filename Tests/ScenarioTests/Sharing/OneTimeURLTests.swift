internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Invitations that the first who accepts them takes.
@Suite(.endsServers) struct OneTimeURLTests {
  private typealias World = SharingWorld

  private static let unknown = TidingsV1.ErrorCode.unknownItem.rawValue

  @Test("the first who accepts a one-time URL is invited with it; to others it is not there")
  func firstTakes() async throws {
    let world = try await World()
    let url = try await world.shareTrip(.readOnly)
    let oneTime = try await world.invite("guest-1", .readWrite)
    let other = try await world.invite("guest-2", .readOnly)
    #expect(Set([url, oneTime, other]).count == 3)
    // The owner can show it again, and it stays when the share is changed.
    try await world.change("s") { $0.publicPermission = .none }
    #expect(try await world.stored("s").share?.oneTimeURL(for: "guest-1") == oneTime)
    let dora = try await world.server.client(as: "dora")
    let found = try await world.cleo.shares.metadata(of: [oneTime])
    guard case .metadata(let metadata)? = found.first?.outcome else {
      throw WaitingFailure(description: "\(found)")
    }
    #expect(metadata.participant?.permission == .readWrite)
    #expect(metadata.participant?.acceptanceStatus == .pending)
    #expect(metadata.share?.share?.url == oneTime)
    #expect(!"\(metadata)".contains(url) && !"\(metadata)".contains("ben"), "\(metadata)")
    #expect(try await World.seen(["trip"], by: world.cleo) == ["26"])

    #expect(try await World.acceptanceCode(of: oneTime, by: world.cleo) == 0)
    #expect(World.code(try await world.cleo.modifyShared([World.theirs("day")])[0]) == 0)
    #expect(try await World.acceptanceCode(of: oneTime, by: dora) == Self.unknown)
    #expect(try await World.metadataCode(of: oneTime, by: dora) == Self.unknown)
    let stored = try await world.stored("s").share
    let taken = try #require(stored?.participants.first { $0.participantID == "guest-1" })
    #expect(taken.userRecordName == "cleo" && taken.role == .privateUser)
    #expect(taken.acceptanceStatus == .accepted && taken.oneTimeURL.isEmpty)
    // Repeated by who took it, it changes nothing, after a restart neither.
    let tag = try await world.stored("s").changeTag
    #expect(try await World.acceptanceCode(of: oneTime, by: world.cleo) == 0)
    try await world.server.stop()
    let again = try await World(continuing: world.server.restarted())
    #expect(try await World.acceptanceCode(of: oneTime, by: again.cleo) == 0)
    #expect(try await World.acceptanceCode(of: oneTime, by: again.ben) == Self.unknown)
    #expect(try await again.stored("s").changeTag == tag)
    let late = try await again.server.client(as: "dora")
    #expect(try await World.acceptanceCode(of: other, by: late) == 0)
    #expect(World.code(try await late.modifyShared([World.theirs("day")])[0]) == 10)
  }

  @Test("of those who accept a one-time URL at once exactly one gets in", arguments: 0..<3)
  func race(_ round: Int) async throws {
    let world = try await World()
    try await world.shareTrip(.readOnly)
    let oneTime = try await world.invite("guest")
    let names = (0..<6).map { "racer\($0)" }
    let codes = try await withThrowingTaskGroup(of: (String, Int32).self) { group in
      for name in names {
        let client = try await world.server.client(as: name)
        group.addTask { (name, try await World.acceptanceCode(of: oneTime, by: client)) }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    let winners = codes.filter { $0.value == 0 }.keys
    #expect(winners.count == 1, "\(codes)")
    #expect(codes.values.filter { $0 == Self.unknown }.count == names.count - 1, "\(codes)")
    let stored = try await world.stored("s").share?.participants.map(\.userRecordName)
    #expect(stored == ["ada", "ben"] + winners)
  }

  @Test("a one-time URL ends when it is withdrawn, when it expires, and with its share")
  func ends() async throws {
    let world = try await World()
    try await world.shareTrip(.readOnly)
    let withdrawn = try await world.invite("a")
    try await world.change("s") { $0.participants.removeAll { $0.participantID == "a" } }
    #expect(try await World.acceptanceCode(of: withdrawn, by: world.cleo) == Self.unknown)
    // The same name is another invitation.
    let anew = try await world.invite("a")
    #expect(anew != withdrawn)
    #expect(try await World.acceptanceCode(of: withdrawn, by: world.cleo) == Self.unknown)

    let hour = GoogleProtobuf.Timestamp(seconds: Int64(Date().timeIntervalSince1970) + 3600)
    let timed = try await world.invite("timed", expires: hour)
    #expect(try await World.metadataCode(of: timed, by: world.cleo) == 0)
    try await world.change("s") { share in
      for index in share.participants.indices
      where share.participants[index].participantID == "timed" {
        share.participants[index].expires = .init(seconds: 1)
      }
    }
    #expect(try await World.metadataCode(of: timed, by: world.cleo) == Self.unknown)
    #expect(try await World.acceptanceCode(of: timed, by: world.cleo) == Self.unknown)

    // Who is removed has lost the URL, too.
    #expect(try await World.acceptanceCode(of: anew, by: world.cleo) == 0)
    try await world.change("s") { $0.participants.removeAll { $0.userRecordName == "cleo" } }
    #expect(try await World.acceptanceCode(of: anew, by: world.cleo) == Self.unknown)
    #expect(try await World.seen(["trip"], by: world.cleo) == ["26"])

    let last = try await world.invite("last")
    _ = try await world.ada.modify(delete: World.ids("s"))
    #expect(try await World.acceptanceCode(of: last, by: world.cleo) == Self.unknown)
  }

  @Test("a one-time URL is for who is not in the list; who leaves may come back with it")
  func participants() async throws {
    let world = try await World()
    try await world.shareTrip(.readOnly)
    try await world.change("s") { share in
      share.participants.append(.init(userRecordName: "dora", permission: .none))
      share.block(["emil"])
    }
    let oneTime = try await world.invite("guest")
    let rejected = TidingsV1.ErrorCode.serverRejectedRequest.rawValue
    #expect(try await World.acceptanceCode(of: oneTime, by: world.ada) == rejected)
    #expect(try await World.acceptanceCode(of: oneTime, by: world.ben) == rejected)
    for name in ["dora", "emil"] {
      let client = try await world.server.client(as: name)
      #expect(try await World.acceptanceCode(of: oneTime, by: client) == Self.unknown)
    }
    #expect(try await World.acceptanceCode(of: oneTime, by: world.cleo) == 0)
    #expect(World.code(try await world.cleo.modifyShared(delete: ["s"])[0]) == 0)
    #expect(try await World.seen(["trip"], by: world.cleo) == ["26"])
    #expect(try await World.acceptanceCode(of: oneTime, by: world.ben) == Self.unknown)
    #expect(try await World.acceptanceCode(of: oneTime, by: world.cleo) == 0)
    #expect(try await World.seen(["trip"], by: world.cleo) == ["ada/trip"])
  }

  @Test("an invitation that cannot be is refused, with what to do")
  func refusals() async throws {
    let world = try await World(arguments: ["--limit", "participants-per-share-max=3"])
    try await world.shareTrip(.readOnly)
    let stored = try await world.stored("s")
    func result(_ participants: TidingsV1.Participant...) async throws -> TidingsV1.ItemError? {
      var record = stored
      record.share?.participants += participants
      return try await world.ada.modify([record])[0].error
    }
    let past = GoogleProtobuf.Timestamp(seconds: 1)
    let cases: [(TidingsV1.Participant, String)] = [
      (.init(permission: .readOnly), "empty"),
      (.init(permission: .readOnly, participantID: "a b"), "participant_id"),
      (.init(permission: .readOnly, participantID: String(repeating: "a", count: 65)), "64"),
      (.init(permission: .none, participantID: "a"), "cannot be accepted"),
      (.init(role: .administrator, permission: .readWrite, participantID: "a"), "afterwards"),
      (.init(permission: .readOnly, participantID: "a", expires: past), "expired already"),
    ]
    for (participant, words) in cases {
      let error = try await result(participant)
      #expect(error?.code == .invalidArguments, "\(participant): \(String(describing: error))")
      #expect(error?.message.contains(words) == true, "\(words): \(String(describing: error))")
    }
    let one = TidingsV1.Participant(permission: .readOnly, participantID: "a")
    #expect(try await result(one, one)?.code == .participantAlreadyInvited)
    let two = TidingsV1.Participant(permission: .readOnly, participantID: "b")
    #expect(try await result(one, two)?.code == .tooManyParticipants)
    #expect(try await result(one) == nil)
    // It is nobody's until somebody accepts it.
    var record = try await world.stored("s")
    record.share?.participants[2].userRecordName = "cleo"
    let given = try await world.ada.modify([record])[0].error
    #expect(given?.code == .invalidArguments && given?.message.contains("cleo") == true)
    // One that has the URL of another share is not invited again.
    var copied = World.share("t", of: "diary")
    copied.share?.participants = [one]
    copied.share?.participants[0].oneTimeURL = "tidings://share/x"
    let copy = try await world.ada.modify([copied])[0].record
    #expect(copy?.share?.participants.map(\.userRecordName) == ["ada"])
  }

  @Test("what the store keeps of a URL that was taken does not open anything")
  func storedToken() async throws {
    let world = try await World()
    try await world.shareTrip(.readOnly)
    let oneTime = try await world.invite("guest")
    _ = try await world.accept(oneTime, by: world.cleo)
    let rest = try await world.ada.fetch(World.ids("s"))
    #expect(!"\(rest)".contains(oneTime))
    let history = try await World.versions(seenBy: world.cleo, url: oneTime)
    #expect(history.allSatisfy { !"\($0)".contains(oneTime) })
  }
}
