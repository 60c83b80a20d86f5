/// The bounds that `proto/tidings/rpc/v1/header.proto` sets for every call.
public enum WireLimits {
  /// Most bytes of a method's name.
  public static let methodBytesMax = 255
  /// Most metadata entries of a call.
  public static let metadataEntriesMax = 64
  /// Most bytes of a call's metadata, keys and values together.
  public static let metadataBytesMax = 8 * 1024
  /// Most bytes of an idempotency key.
  public static let idempotencyKeyBytesMax = 64
  /// Messages that a stream may send at once when its client does not say.
  public static let creditDefault = 16
  /// Most messages that may stand open on a stream; more credit is dropped.
  public static let creditMax = 1024
  /// Most frames of one ZeroMQ message, envelope included.
  public static let framesMax = 64
  /// Largest frame in bytes unless configured otherwise.
  public static let frameBytesMax = 16 * 1024 * 1024
  /// How long a stream may stand without credit before it is cancelled.
  public static let creditStallMax = Duration.seconds(60)
  /// Most calls that wait or run at once, unless configured otherwise.
  public static let callsInFlightMax = 4096
}
