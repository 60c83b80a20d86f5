/// How a call ended: gRPC's codes with their numbers.
public struct StatusCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// 0 to 16; another number is still a value.
  public let rawValue: UInt32

  /// A code from its number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Success.
  public static let ok = Self(rawValue: 0)
  /// The caller gave up.
  public static let cancelled = Self(rawValue: 1)
  /// No better code applies.
  public static let unknown = Self(rawValue: 2)
  /// The request is wrong, whatever the state of the server.
  public static let invalidArgument = Self(rawValue: 3)
  /// The deadline passed first.
  public static let deadlineExceeded = Self(rawValue: 4)
  /// Something named in the request does not exist.
  public static let notFound = Self(rawValue: 5)
  /// Something to be created exists.
  public static let alreadyExists = Self(rawValue: 6)
  /// The caller may not do this.
  public static let permissionDenied = Self(rawValue: 7)
  /// A limit or a quota is exceeded.
  public static let resourceExhausted = Self(rawValue: 8)
  /// The state of the server does not allow this; repeating alone does not help.
  public static let failedPrecondition = Self(rawValue: 9)
  /// A conflict with another call: read again, then repeat.
  public static let aborted = Self(rawValue: 10)
  /// Past the valid range, for example an expired token.
  public static let outOfRange = Self(rawValue: 11)
  /// The server does not have the method.
  public static let unimplemented = Self(rawValue: 12)
  /// A defect.
  public static let `internal` = Self(rawValue: 13)
  /// The server cannot be reached or cannot answer now: repeat.
  public static let unavailable = Self(rawValue: 14)
  /// Data is lost or damaged.
  public static let dataLoss = Self(rawValue: 15)
  /// The caller is not known.
  public static let unauthenticated = Self(rawValue: 16)

  private static let names = [
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
    "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",
    "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
  ]

  /// gRPC's name, for example `NOT_FOUND`.
  public var description: String {
    rawValue < Self.names.count ? Self.names[Int(rawValue)] : "CODE_\(rawValue)"
  }
}
