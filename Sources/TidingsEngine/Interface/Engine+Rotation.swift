public import TidingsModel
public import TidingsSeal

extension Engine {
  /// What seals the pushes on a topic; whoever may register for the topic may have it.
  public func pushKey(of topic: [UInt8]) -> SealingKey { pushKeys.key(of: topic) }

  /// Gives new topics to the channels with only one reader, and to the user's control topic.
  ///
  /// The old ones are not used any more, and the new ones are unknown to others. Channels of public
  /// databases that every user may read stay.
  ///
  /// - Returns: The old topics of channels.
  /// - Throws: `ItemError` `badContainer` for a container that is not deployed; `SQLError`.
  public func rotateOwnChannels(
    of user: String,
    container: String,
    environment: Environment
  ) throws -> [[UInt8]] {
    try catalog.enter(container, environment, user)
    let numbers = try channels.rotation.ownChannels(
      of: user,
      container: container,
      environment: environment
    )
    try channels.controlTopics.replace(of: user, container: container, environment: environment)
    return try rotateChannels(numbers)
  }

  /// Gives new topics to channels, whosever they are.
  ///
  /// Their subscribers learn it when they register again: announce it on their control topics.
  ///
  /// - Parameter numbers: The channels; other numbers are ignored.
  /// - Returns: The old topics.
  /// - Throws: `SQLError`.
  public func rotateChannels(_ numbers: [Int64]) throws -> [[UInt8]] {
    try numbers.compactMap { number in
      pace.step()
      return try channels.rotation.rotate(number)
    }
  }
}
