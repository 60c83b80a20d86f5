internal import Synchronization
internal import TidingsWeb

/// Slots for what lasts, as event streams and uploads do: a number of them in all, and of each owner.
final class Slots: Sendable {
  /// Whose slots are counted together.
  enum Owner: Hashable, Sendable {
    /// A user, in all containers and with all sessions and keys.
    case user(String)
    /// All who have the same credential and no user, as guests of an API token.
    case guests(WebCaller.Credential)
  }

  private struct Taken {
    let number: UInt64
    /// Ends what has the slot; `nil`: it lasts until its own end.
    let giveWay: (@Sendable () -> Void)?
  }

  private struct State {
    var lastNumber: UInt64 = 0
    var count = 0
    /// The oldest of each owner first.
    var taken: [Owner: [Taken]] = [:]

    mutating func add(_ owner: Owner, _ giveWay: (@Sendable () -> Void)?) -> UInt64 {
      lastNumber += 1
      count += 1
      taken[owner, default: []].append(Taken(number: lastNumber, giveWay: giveWay))
      return lastNumber
    }

    mutating func remove(_ owner: Owner, at index: Int) -> Taken? {
      count -= 1
      let removed = taken[owner]?.remove(at: index)
      if taken[owner]?.isEmpty == true { taken[owner] = nil }
      return removed
    }
  }

  private let state = Mutex(State())
  private let countMax: Int
  private let ofOneMax: Int

  init(_ countMax: Int, ofOne ofOneMax: Int) {
    (self.countMax, self.ofOneMax) = (countMax, ofOneMax)
  }

  /// How many are taken now.
  var takenCount: Int { state.withLock { $0.count } }

  /// Holds a slot until it is gone.
  final class Slot: Sendable {
    private let slots: Slots
    private let owner: Owner
    private let number: UInt64

    fileprivate init(_ slots: Slots, _ owner: Owner, _ number: UInt64) {
      (self.slots, self.owner, self.number) = (slots, owner, number)
    }

    deinit { slots.leave(owner, number) }
  }

  /// Why there is no slot.
  enum Refusal: Error {
    /// All are taken.
    case all
    /// The owner has as many as one may have.
    case ofOne(Int)
  }

  /// Takes a slot.
  ///
  /// - Parameters:
  ///   - owner: Whose it is.
  ///   - giveWay: Ends what has the slot when the owner wants another one and there is none: the oldest of the owner's
  ///     gives way.
  /// - Returns: The slot.
  /// - Throws: When there is none, and nothing of the owner's gives way.
  func take(
    for owner: Owner,
    giveWay: (@Sendable () -> Void)? = nil
  ) throws(Refusal) -> Slot {
    let (refusal, oldest, number) = state.withLock { state -> (Refusal?, Taken?, UInt64) in
      let own = state.taken[owner] ?? []
      let isOwnFull = own.count >= ofOneMax
      guard isOwnFull || state.count >= countMax else {
        return (nil, nil, state.add(owner, giveWay))
      }
      guard let index = own.firstIndex(where: { $0.giveWay != nil }) else {
        return (isOwnFull ? .ofOne(ofOneMax) : .all, nil, 0)
      }
      let oldest = state.remove(owner, at: index)
      return (nil, oldest, state.add(owner, giveWay))
    }
    if let refusal { throw refusal }
    oldest?.giveWay?()
    return Slot(self, owner, number)
  }

  /// One that gave way has left already.
  private func leave(_ owner: Owner, _ number: UInt64) {
    state.withLock { state in
      guard let index = state.taken[owner]?.firstIndex(where: { $0.number == number }) else {
        return
      }
      _ = state.remove(owner, at: index)
    }
  }
}

extension Slots.Owner {
  /// Whose a sealed URL is.
  init(_ content: SealedURLs.Content) {
    self = content.database.user.map { .user($0) } ?? .guests(content.caller.credential)
  }
}
