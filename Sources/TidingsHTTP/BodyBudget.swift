internal import Synchronization

/// The memory that bodies of all requests together may take.
final class BodyBudget: Sendable {
  private let left: Mutex<Int>

  init(bytesMax: Int) { left = Mutex(bytesMax) }

  /// Takes memory; `false`: there is not enough.
  func take(_ count: Int) -> Bool {
    left.withLock { left in
      guard count <= left else { return false }
      left -= count
      return true
    }
  }

  func giveBack(_ count: Int) { left.withLock { $0 += count } }
}
