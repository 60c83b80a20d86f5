internal import Testing
internal import TidingsFiles
internal import TidingsModel
internal import TidingsRPC
internal import TidingsSQL

@testable import TidingsService

/// What errors mean for groups, by table: each row is what a user loses.
@Suite struct GroupFailureTests {
  private typealias Group = GroupFailure.Group

  private static let kinds: [SQLError.Kind] = [
    .damaged, .busy, .conflict, .interrupted, .statement, .storage, .disconnected, .denied,
    .uncertain,
  ]

  /// All groups that there can be, as far as a decision depends on them.
  private static let groups: [GroupFailure.Group] = (0..<32).map { bits in
    Group(
      isRemote: bits & 1 != 0,
      isOpen: bits & 2 != 0,
      isShared: bits & 4 != 0,
      callCount: bits & 8 != 0 ? 2 : 1,
      runsAlone: bits & 16 != 0
    )
  }

  private static func error(_ kind: SQLError.Kind, isDeferred: Bool = false) -> SQLError {
    var error = SQLError(kind, "a test")
    error.isDeferred = isDeferred
    return error
  }

  @Test("what a handler refuses concerns its call alone, whatever it throws")
  func refusals() {
    struct Unknown: Error {}
    let refusals: [any Error] = [
      ItemError(.invalidArguments, "no"), RPCError(.unavailable, "no"), Unknown(),
    ]
    for refusal in refusals {
      for group in Self.groups {
        for access in [StoreAccess.read, .write] {
          #expect(GroupFailure(refusal).ofCall(access, in: group) == .callFails)
        }
        #expect(!GroupFailure(refusal).isTransient(in: group))
        #expect(!GroupFailure(refusal).isPerhapsOfAnother(in: group))
      }
    }
  }

  @Test("a failed disk takes no call again, and only a remote store's loss runs a group again")
  func kinds() {
    for kind in Self.kinds {
      for group in Self.groups {
        let failure = GroupFailure(Self.error(kind))
        let transient = group.isRemote && (kind == .conflict || kind == .disconnected)
        let hasFailed = [.storage, .disconnected, .denied, .uncertain].contains(kind)
        let expected: GroupFailure.Consequence =
          transient ? .groupRunsAgain : hasFailed ? .groupFails : .callsRunAlone
        #expect(failure.ofWork(in: group) == expected, "\(kind), \(group)")
        #expect(failure.ofCall(.write, in: group) == expected, "\(kind), \(group)")
      }
    }
  }

  @Test("a read that fails costs nobody else an answer")
  func reads() {
    for kind in Self.kinds {
      for group in Self.groups {
        let failure = GroupFailure(Self.error(kind))
        guard !failure.isTransient(in: group) else { continue }
        let expected: GroupFailure.Consequence =
          !group.isOpen ? .callFails : group.isShared ? .callsRunAlone : .transactionEnds
        #expect(failure.ofCall(.read, in: group) == expected, "\(kind), \(group)")
      }
    }
  }

  @Test("a commit that fails is a call's fault where one could be, and is looked for once")
  func commits() {
    for kind in Self.kinds {
      for isDeferred in [false, true] {
        for group in Self.groups {
          let failure = GroupFailure(Self.error(kind, isDeferred: isDeferred))
          let consequence = failure.ofCommit(of: group)
          if failure.isTransient(in: group) {
            #expect(consequence == .groupRunsAgain, "\(kind), \(group)")
          } else if group.callCount <= 1 || !failure.letsOthersRunAgain {
            #expect(consequence == .groupFails, "\(kind), \(group)")
          } else {
            let isLookedFor = group.isRemote || isDeferred && !group.runsAlone
            #expect(consequence == (isLookedFor ? .callsRunAlone : .groupFails))
          }
        }
      }
    }
  }
}
