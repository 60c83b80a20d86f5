internal import TidingsSQL

#if DEBUG
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif
#endif

extension Migration {
  /// A step that no release has: with the environment variable `TIDINGS_TEST_NEXT_FORMAT`, a debug build is the next version, so that tests
  /// can upgrade to it.
  static var next: [Migration] {
    #if DEBUG
    guard getenv("TIDINGS_TEST_NEXT_FORMAT") != nil else { return [] }
    return [
      Migration(
        number: boundedLookups.number + 1,
        name: "next version of a test",
        sql: """
          CREATE TABLE next_version (id BIGINT PRIMARY KEY);
          ALTER TABLE account_keys ADD COLUMN next_version BIGINT NOT NULL DEFAULT 0;
          """
      )
    ]
    #else
    return []
    #endif
  }
}
