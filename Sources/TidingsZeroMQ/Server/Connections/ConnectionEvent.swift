/// Which of a server's sockets a connection came to.
enum ListeningSocket: Hashable, Sendable {
  case calls
  case pushes
}

/// Where a connection is, as long as it is open: another one may be there later.
struct ConnectionSlot: Hashable, Sendable {
  let socket: ListeningSocket
  let descriptor: CInt
}

/// What happened to connections, in order.
enum ConnectionEvent: Sendable {
  /// A connection was accepted. The numbers of it are higher than `floor`, those of earlier ones in
  /// this slot are not; no two connections have the same floor.
  case accepted(ConnectionSlot, floor: UInt64)
  /// The connection in a slot has ended.
  case ended(ConnectionSlot)
  /// Accepting connections was paused, for lack of file descriptors.
  case full
}
