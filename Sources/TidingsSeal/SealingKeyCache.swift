/// Keys by the topic they are for, so that each is derived once as long as its topic is in use.
public struct SealingKeyCache {
  /// Most keys that are kept; then all are forgotten and derived again when they are needed.
  public static let keysMax = 65_536

  private let derive: ([UInt8]) -> SealingKey
  private var keys: [[UInt8]: SealingKey] = [:]

  /// A cache of keys that are derived like this.
  public init(_ derive: @escaping ([UInt8]) -> SealingKey) { self.derive = derive }

  /// How many keys are kept.
  public var count: Int { keys.count }

  /// The key of a topic.
  public mutating func key(of topic: [UInt8]) -> SealingKey {
    if let key = keys[topic] { return key }
    if keys.count >= Self.keysMax { keys.removeAll(keepingCapacity: true) }
    let key = derive(topic)
    keys[topic] = key
    return key
  }
}
