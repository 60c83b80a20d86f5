internal import CZMTPFilter
internal import Glibc
internal import TidingsMemory

/// Decides when a server takes no more connections, so that descriptors and memory are left for itself.
///
/// A new connection has the lowest free descriptor, so its number shows how many are in use.
struct ConnectionCeiling {
  /// Descriptors that connections leave to the rest of the process, and to the connections that the
  /// system has accepted already.
  static let reserve = 512
  /// Descriptors that no connection gets, however many the system accepts before the listeners stop: with none left
  /// the runtime's threads end the process.
  static let own = 64
  /// Most connections of one owner that are used for nothing yet, and most that subscribe, however many there may be.
  static let perOwnerMost = 1_000

  /// The first descriptor that connections leave alone.
  let ceiling: Int
  /// The first descriptor that no connection may have.
  let end: Int
  /// Whether connections are taken.
  private(set) var isOpen = true

  /// The ceiling for a limit of descriptors, of which at least half are for connections, and for what connections may take
  /// of the memory.
  init(descriptorsMax: Int, connectionsMax: Int) {
    ceiling = min(max(descriptorsMax / 2, descriptorsMax - Self.reserve), connectionsMax)
    end = max(descriptorsMax / 2, descriptorsMax - Self.own)
  }

  /// That of this process.
  init(_ memory: MemoryShares) {
    self.init(descriptorsMax: Self.descriptorsMax, connectionsMax: memory.connectionsMax)
  }

  /// Most connections of one owner that are used for nothing yet, and most that subscribe: three others have room for as many.
  var perOwnerMax: Int { min(Self.perOwnerMost, ceiling / 4) }

  /// Most connections of one owner that have made a call.
  var callingPerOwnerMax: Int { ceiling / 2 }

  /// From this descriptor on a connection that is used for nothing makes room for each new one.
  var crowded: Int { ceiling - ceiling / 4 }

  /// From now on no connection of this process gets one of its last descriptors.
  func keepOwnDescriptors() { tidings_zmtp_filter_end_connections_at(CInt(clamping: end)) }

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

  /// The limit of this process; `Int.max`: there is none.
  static var descriptorsMax: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
    return Int(clamping: limit.rlim_cur)
  }
}
