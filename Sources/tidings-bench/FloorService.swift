import CZeroMQ
import Glibc

/// The least that a durable store with pushes has to do, as a ratio's other side: one thread, messages of
/// one size, one table, no features.
///
/// All messages that have arrived share a transaction, and are answered when it is on disk. A saved message
/// is published under its key.
final class FloorService {
  /// More than are ever in flight.
  private static let messagesPerTurnMax = 4096

  private let router: BareRouter
  private let publisher: RawSocket
  private let table: FloorTable

  /// Starts with an empty table in a folder.
  init(folder: String) throws {
    router = try BareRouter(messagesPerTurnMax: Self.messagesPerTurnMax)
    publisher = try RawSocket(router.context, kind: ZMQ_XPUB)
    table = try FloorTable(path: folder + "/floor.sqlite")
  }

  /// Serves until standard input ends.
  func run() throws {
    router.announce(push: try publisher.bindToLoopback())
    try router.run { count in
      try table.withTransaction {
        for index in 0..<count { try save(index) }
      }
      try table.withTransaction {
        for index in 0..<count { try answer(index) }
      }
    }
  }

  private func save(_ index: Int) throws {
    let message = try FloorMessage(router.body(of: index))
    if message.operation == .save { try table.put(message.key, message.bytes) }
  }

  private func answer(_ index: Int) throws {
    let message = try FloorMessage(router.body(of: index))
    switch message.operation {
    case .save:
      try publisher.send(message.key, more: true)
      try publisher.send(message.bytes)
    case .get: try table.get(message.key) { router.setBody(of: index, to: $0) }
    }
    try router.reply(index)
  }
}
