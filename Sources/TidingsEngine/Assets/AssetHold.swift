internal import Synchronization

/// Keeps all assets as long as it is not released: a copy of the store names them.
///
/// Any thread may release it; the last reference does.
package final class AssetHold: Sendable {
  /// How many holds there are.
  final class Count: Sendable {
    private let count = Atomic<Int>(0)

    var isHeld: Bool { count.load(ordering: .acquiring) > 0 }

    fileprivate func change(by difference: Int) {
      count.add(difference, ordering: .acquiringAndReleasing)
    }
  }

  private let count: Count
  private let isReleased = Atomic(false)

  init(_ count: Count) {
    self.count = count
    count.change(by: 1)
  }

  deinit { release() }

  /// Assets may be forgotten again.
  package func release() {
    if !isReleased.exchange(true, ordering: .relaxed) { count.change(by: -1) }
  }
}
