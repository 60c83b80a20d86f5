internal import TidingsFiles
internal import TidingsProto

/// A place in a user's notifications, exact to the notification: what comes after it was not handed
/// out, what comes before it was.
///
/// To applications it is opaque bytes, to be stored with the work that the notifications caused. Usually
/// a few hundred; they grow with the number of channels, about 10 bytes for each.
public struct InboxPosition: Hashable, Sendable {
  /// Whose notifications these are: a position is good for nobody else.
  struct Owner: Hashable, Sendable {
    var user: String
    var container: String
    var environment: Int32

    init(user: String, container: String, environment: Int32) {
      self.user = user
      self.container = container
      self.environment = environment
    }

    init(_ configuration: ClientConfiguration) {
      user = configuration.user
      container = configuration.container.isEmpty ? "default" : configuration.container
      let environment = configuration.environment.rawValue
      self.environment = environment == 0 ? 1 : environment
    }

    var text: String {
      let isProduction = environment == TidingsV1.Environment.production.rawValue
      let name = isProduction ? "production" : "development"
      return "user '\(user)' in container '\(container)', environment '\(name)'"
    }
  }

  let owner: Owner
  let progress: InboxProgress

  private static let magic = Array("TdgInbox".utf8)
  private static let version: UInt8 = 1
  private static let checksumBytes = 16

  init(owner: Owner, progress: InboxProgress) {
    self.owner = owner
    self.progress = progress
  }

  /// The bytes to be stored.
  public var bytes: [UInt8] {
    var writer = PositionWriter()
    writer.bytes = Self.magic + [Self.version]
    writer.add(owner.user)
    writer.add(owner.container)
    writer.add(UInt64(UInt32(bitPattern: owner.environment)))
    writer.add(progress)
    return writer.bytes + SHA256.checksum(of: writer.bytes).prefix(Self.checksumBytes)
  }

  /// Decodes a position.
  ///
  /// - Throws: `positionDamaged` if the bytes are not a position.
  public init(bytes: [UInt8]) throws(InboxError) {
    guard bytes.starts(with: Self.magic), bytes.count > Self.magic.count + Self.checksumBytes else {
      throw .positionDamaged("these \(bytes.count) bytes are not the position of an inbox")
    }
    guard bytes[Self.magic.count] == Self.version else {
      throw .positionDamaged(
        "unsupported version \(bytes[Self.magic.count]) of the position, expected \(Self.version): "
          + "use the version of the client that wrote it, or a newer one"
      )
    }
    let body = Array(bytes.dropLast(Self.checksumBytes))
    guard SHA256.checksum(of: body).starts(with: bytes.suffix(Self.checksumBytes)) else {
      throw .positionDamaged("the position is damaged: wrong checksum")
    }
    var reader = PositionReader(bytes: body[(Self.magic.count + 1)...])
    guard let user = reader.text(), let container = reader.text(),
      let environment = reader.number(), let progress = reader.progress()
    else { throw .positionDamaged("the position is damaged: unexpected end") }
    owner = Owner(
      user: user,
      container: container,
      environment: Int32(truncatingIfNeeded: environment)
    )
    self.progress = progress
  }

  /// Rejects a position of another owner.
  func check(_ expected: Owner, _ source: String) throws(InboxError) {
    guard owner != expected else { return }
    throw .positionOwnerMismatch(
      "\(source) belongs to \(owner.text), and the client is \(expected.text): use another position "
        + "for each"
    )
  }
}
