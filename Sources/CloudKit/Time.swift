// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Constants of Dispatch on Apple's systems, which code for CloudKit waits with, and Linux lacks.

/// Nanoseconds of a second.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
/// Nanoseconds of a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
/// Nanoseconds of a microsecond.
public let NSEC_PER_USEC: UInt64 = 1_000
/// Microseconds of a second.
public let USEC_PER_SEC: UInt64 = 1_000_000
