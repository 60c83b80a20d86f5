internal import TidingsModel
internal import TidingsSQL

/// Gives channels new topics, and with them new keys: the old ones are not used any more.
final class ChannelRotation {
  private let channels: ChannelRegistry
  private let selectOwn: any SQLStatement
  private let selectTopic: any SQLStatement
  private let update: any SQLStatement

  init(_ connection: any SQLConnection, channels: ChannelRegistry) throws {
    self.channels = channels
    selectOwn = try connection.prepare(
      """
      SELECT c.id FROM channels c JOIN databases d ON d.id = c.database_id
      WHERE d.owner = ?1 AND d.container = ?2 AND d.environment = ?3
      UNION
      SELECT c.id FROM channels c JOIN databases d ON d.id = c.database_id
      WHERE c.reader = ?1 AND c.reader <> '' AND d.container = ?2 AND d.environment = ?3
      """
    )
    selectTopic = try connection.prepare("SELECT topic FROM channels WHERE id = ?1")
    update = try connection.prepare("UPDATE channels SET topic = ?2 WHERE id = ?1")
  }

  /// The channels with only one reader, also those without subscribers now: a user who subscribes
  /// again gets the same one.
  ///
  /// They are those of the user's own databases, and those of public ones where not everybody may read.
  func ownChannels(
    of owner: String,
    container: String,
    environment: Environment
  ) throws -> [Int64] {
    var numbers: [Int64] = []
    selectOwn.bind(owner, at: 1)
    selectOwn.bind(container, at: 2)
    selectOwn.bind(Int64(environment.rawValue), at: 3)
    try selectOwn.forEachRow { numbers.append(selectOwn.int64(0)) }
    return numbers
  }

  /// Gives a channel a new topic, in the open transaction.
  ///
  /// - Returns: The old one; `nil` when there is no such channel.
  func rotate(_ channel: Int64) throws(SQLError) -> [UInt8]? {
    guard let old = try topic(of: channel) else { return nil }
    let topic = Topic.random()
    update.bind(channel, at: 1)
    update.bind(topic, at: 2)
    try update.run()
    channels.forgetContent(of: channel)
    return old
  }

  private func topic(of channel: Int64) throws(SQLError) -> [UInt8]? {
    selectTopic.bind(channel, at: 1)
    defer { selectTopic.reset() }
    return try selectTopic.step() ? selectTopic.bytes(0) : nil
  }
}
