/// Decides when a server takes no more connections, so that descriptors are left for itself.
///
/// A new connection has the lowest free descriptor, so its number shows how many are in use.
struct ConnectionCeiling {
  /// Descriptors that connections leave to the rest of the process, and to the connections that the
  /// system has accepted already.
  static let reserve = 512

  /// The first descriptor that connections leave alone.
  let ceiling: Int
  /// Whether connections are taken.
  private(set) var isOpen = true

  /// The ceiling for a limit of descriptors; at least half of them are for connections.
  init(descriptorsMax: Int) {
    ceiling = max(descriptorsMax / 2, descriptorsMax - Self.reserve)
  }

  /// A connection was accepted.
  ///
  /// - Returns: Whether to take no more from now on.
  mutating func accepted(_ descriptor: Int) -> Bool {
    guard isOpen, descriptor >= ceiling else { return false }
    isOpen = false
    return true
  }

  /// The lowest free descriptor, as seen just now.
  ///
  /// - Returns: Whether to take connections again.
  mutating func saw(lowestFree: Int) -> Bool {
    guard !isOpen, lowestFree < ceiling else { return false }
    isOpen = true
    return true
  }
}
