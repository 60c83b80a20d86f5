/// Whether there is a user, as far as calls have shown.
struct AccountState: Sendable {
  /// A change of the account that a call showed.
  struct Change: Equatable {
    /// What was known before; `nil`: nothing.
    let old: CKAccountStatus?
    let new: CKAccountStatus

    /// Whether the account changed, rather than became known.
    var isReported: Bool { old != nil }
    /// Whether the account cannot be used from now on.
    var isLoss: Bool { new != .available && (old ?? .available) == .available }
  }

  /// What the last call showed; `nil`: none showed anything yet.
  private(set) var status: CKAccountStatus?

  /// Takes what a call showed; returns `nil` if it was known.
  mutating func learn(_ new: CKAccountStatus) -> Change? {
    guard new != status, new != .couldNotDetermine else { return nil }
    defer { status = new }
    return Change(old: status, new: new)
  }
}

extension CKAccountStatus {
  /// What the failure of a call shows of the caller's account; `nil`: nothing.
  init?(_ error: CKError) {
    switch error.code {
    case .managedAccountRestricted: self = .restricted
    case .notAuthenticated: self = .noAccount
    case .accountTemporarilyUnavailable: self = .temporarilyUnavailable
    default: return nil
    }
  }
}
