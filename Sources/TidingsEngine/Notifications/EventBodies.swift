internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

/// Puts the notifications of the log together: the log stores of an event only what no other row says.
///
/// What a channel's events have in common is in the channel's definition, which never changes; values
/// that many channels carry of one change are in `event_contents`.
final class EventBodies: TransactionParticipant {
  private struct Source {
    let bytes: [UInt8]
    let info: NotificationInfo?
  }

  private struct Content {
    let number: Int64
    let record: Record
    let isDeletion: Bool
    let fieldsBytesMax: Int
  }

  /// Bytes of sources that are remembered, about.
  private static let sourceBytesMax = 4 << 20
  private static let sourceBytes = 256

  private let codec: BodyCodec
  private let selectSource: any SQLStatement
  private let selectContent: any SQLStatement
  private var sources: [Int64: Source] = [:]
  private var sourceBytes = 0
  /// The one that was used last: the events of a change follow each other.
  private var last: Content?

  init(_ connection: any SQLConnection, codec: BodyCodec) throws {
    self.codec = codec
    selectSource = try connection.prepare(
      """
      SELECT d.container, d.environment, d.scope, d.owner, c.definition
      FROM channels c JOIN databases d ON d.id = c.database_id
      WHERE c.id = ?1 AND c.definition IS NOT NULL
      """
    )
    selectContent = try connection.prepare(
      "SELECT body, is_deletion, fields_bytes_max FROM event_contents WHERE id = ?1"
    )
  }

  /// The encoded notification of an event.
  ///
  /// - Parameters:
  ///   - stored: The body of its row.
  ///   - channel: Its channel.
  ///   - content: Where what it shares with others is stored; 0: it shares nothing.
  /// - Returns: The body, without what differs between subscribers.
  /// - Throws: `SQLError`.
  func body(_ stored: [UInt8], of channel: Int64, content: Int64) throws -> [UInt8] {
    let source = try source(of: channel)
    guard content > 0, let info = source.info else { return source.bytes + stored }
    let shared = try self.content(content)
    let values = EventContent(
      info,
      old: shared.isDeletion ? shared.record : nil,
      new: shared.isDeletion ? nil : shared.record,
      fieldsBytesMax: shared.fieldsBytesMax
    )
    return source.bytes + stored + codec.encode(values)
  }

  func reload() {
    sources.removeAll()
    sourceBytes = 0
    last = nil
  }

  private func source(of channel: Int64) throws -> Source {
    if let known = sources[channel] { return known }
    let source = try readSource(of: channel)
    if sourceBytes > Self.sourceBytesMax { reload() }
    sources[channel] = source
    sourceBytes += 2 * source.bytes.count + Self.sourceBytes
    return source
  }

  private func readSource(of channel: Int64) throws -> Source {
    let row = selectSource
    row.bind(channel, at: 1)
    defer { row.reset() }
    guard try row.step(),
      let environment = Environment(rawValue: Int32(truncatingIfNeeded: row.int64(1))),
      let scope = DatabaseScope(rawValue: Int32(truncatingIfNeeded: row.int64(2)))
    else {
      throw SQLError(.damaged, "the channel \(channel) is missing, and events of it are there")
    }
    let database = DatabaseID(
      container: row.string(0),
      environment: environment,
      scope: scope,
      owner: row.string(3)
    )
    let definition = try row.bytes(4).withUnsafeBytes { try codec.decodeSubscription($0) }
    return Source(
      bytes: codec.encode(EventSource(of: definition, in: database)),
      info: definition.notificationInfo
    )
  }

  private func content(_ number: Int64) throws -> Content {
    if let last, last.number == number { return last }
    let row = selectContent
    row.bind(number, at: 1)
    defer { row.reset() }
    guard try row.step() else {
      throw SQLError(.damaged, "the content \(number) of events is missing")
    }
    let content = Content(
      number: number,
      record: try row.bytes(0).withUnsafeBytes { try codec.decodeRecord($0) },
      isDeletion: row.int64(1) != 0,
      fieldsBytesMax: Int(row.int64(2))
    )
    last = content
    return content
  }
}
