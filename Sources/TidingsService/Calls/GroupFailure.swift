internal import TidingsFiles
internal import TidingsSQL

/// What an error means for the group of calls in which it came up: the one place where that is decided.
///
/// What a handler throws is its call's alone, whatever it is, except what the store says about itself.
struct GroupFailure {
  /// What is known of the group.
  struct Group {
    /// Its store is reached over a network.
    var isRemote = false
    /// It has a transaction.
    var isOpen = false
    /// Others of it have written, or have read what was written.
    var isShared = false
    /// The number of its calls that can be run again.
    var callCount = 0
    /// Its only call was in a group that failed.
    var runsAlone = false
  }

  /// What becomes of the call and its group.
  enum Consequence {
    /// The call fails, and the group goes on.
    case callFails
    /// The call fails, and the group goes on with another transaction: this one has only read.
    case transactionEnds
    /// The group is rolled back, and each of its calls is run again in a group of its own.
    case callsRunAlone
    /// The group is rolled back, and run again after a pause.
    case groupRunsAgain
    /// The group is rolled back, and all of its calls that wrote fail.
    case groupFails
  }

  private let kind: SQLError.Kind?
  private let isDeferred: Bool
  /// The store says it about itself, so it may concern the transaction.
  let isOfStore: Bool

  /// The meaning of an error.
  init(_ error: any Error) {
    let ofStore = error as? SQLError
    kind = ofStore?.kind
    isDeferred = ofStore?.isDeferred ?? false
    isOfStore = ofStore != nil || error is FileError
  }

  /// A call failed.
  ///
  /// SQLite neither writes nor commits in a transaction that met damage, so what was written before is made again.
  func ofCall(_ access: StoreAccess, in group: Group) -> Consequence {
    guard isOfStore else { return .callFails }
    guard access == .read, !isTransient(in: group) else { return ofWork(in: group) }
    guard group.isOpen else { return .callFails }
    return group.isShared ? .callsRunAlone : .transactionEnds
  }

  /// Something that writes failed.
  func ofWork(in group: Group) -> Consequence {
    if isTransient(in: group) { return .groupRunsAgain }
    return letsOthersRunAgain ? .callsRunAlone : .groupFails
  }

  /// The commit of a group failed.
  ///
  /// A remote store reports there what a call did wrong, and any store what was wrong with rows that were queued: it
  /// must not cost others their calls.
  func ofCommit(of group: Group) -> Consequence {
    let isAlone = group.callCount <= 1 && !isTransient(in: group)
    guard group.isRemote || isPerhapsOfAnother(in: group), !isAlone else { return .groupFails }
    return ofWork(in: group)
  }

  /// The network or another transaction took the group back, and all of its calls can be run again.
  func isTransient(in group: Group) -> Bool {
    group.isRemote && (kind == .conflict || kind == .disconnected)
  }

  /// An earlier call of the group may have caused it: the call at hand is run again with the others.
  func isPerhapsOfAnother(in group: Group) -> Bool {
    isDeferred && letsOthersRunAgain && !group.runsAlone
  }

  /// The other calls of a group can be run again: the disk has not failed.
  var letsOthersRunAgain: Bool {
    switch kind {
    case .damaged, .busy, .conflict, .interrupted, .statement, nil: true
    case .storage, .disconnected, .denied, .uncertain: false
    }
  }
}
