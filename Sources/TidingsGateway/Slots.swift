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

  private struct State {
    var count = 0
    var counts: [Owner: Int] = [:]
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

    fileprivate init(_ slots: Slots, _ owner: Owner) {
      (self.slots, self.owner) = (slots, owner)
    }

    deinit { slots.leave(owner) }
  }

  /// Why there is no slot.
  enum Refusal: Error {
    /// All are taken.
    case all
    /// The owner has as many as one may have.
    case ofOne(Int)
  }

  /// Takes a slot.
  func take(for owner: Owner) throws(Refusal) -> Slot {
    let refusal = state.withLock { state -> Refusal? in
      guard state.count < countMax else { return .all }
      guard state.counts[owner, default: 0] < ofOneMax else { return .ofOne(ofOneMax) }
      state.count += 1
      state.counts[owner, default: 0] += 1
      return nil
    }
    if let refusal { throw refusal }
    return Slot(self, owner)
  }

  private func leave(_ owner: Owner) {
    state.withLock { state in
      state.count -= 1
      guard let count = state.counts[owner] else { return }
      state.counts[owner] = count > 1 ? count - 1 : nil
    }
  }
}

extension Slots.Owner {
  /// Whose a sealed URL is.
  init(_ content: SealedURLs.Content) {
    self = content.database.user.map { .user($0) } ?? .guests(content.caller.credential)
  }
}
