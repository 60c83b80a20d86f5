#if PostgreSQL
internal import CPostgres
#endif

/// The libpq that is loaded.
public enum PostgresLibrary {
  /// As it names itself, for example `15.14`; `nil` in builds without it.
  public static var version: String? {
    #if PostgreSQL
    // From version 10 on: the major number, and four digits for the minor one.
    let number = PQlibVersion()
    return "\(number / 10_000).\(number % 10_000)"
    #else
    return nil
    #endif
  }
}
