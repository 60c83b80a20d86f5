/// Stands for a caller where turns and bounds are kept by caller: a hash of the user's name.
///
/// Two users may share one, as rarely as hashes of 64 bits collide; nobody can choose to, since the
/// hash differs from process to process. Never a proof of who calls.
public struct CallerKey: Hashable, Sendable {
  private let hash: Int

  /// The key of a user, from the bytes of the name; callers without a name share one.
  public init(user: UnsafeRawBufferPointer) {
    var hasher = Hasher()
    hasher.combine(bytes: user)
    hash = hasher.finalize()
  }

  /// The key of a user.
  public init(user: String) {
    var user = user
    self = user.withUTF8 { Self(user: UnsafeRawBufferPointer($0)) }
  }

  /// The key of a guest, who has no name and proves one's key.
  public init(guestKey number: Int64) {
    var hasher = Hasher()
    hasher.combine(number)
    hash = hasher.finalize()
  }

  /// Callers who neither say nor prove who they are, together.
  public static let nobody = Self(user: UnsafeRawBufferPointer(start: nil, count: 0))
}
