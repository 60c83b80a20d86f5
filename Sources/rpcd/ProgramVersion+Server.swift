internal import CommandLineTools
internal import TidingsHTTP
internal import TidingsKeys
internal import TidingsPostgres
internal import TidingsProtobuf
internal import TidingsSQLite
internal import TidingsService
internal import TidingsTracing
internal import TidingsZeroMQ

extension ProgramVersion {
  /// That of rpcd, with what it uses of the system.
  static var rpcd: ProgramVersion {
    var libraries: [Library] = [
      .init("libzmq", ZeroMQLibrary.version),
      .init("protobuf-c", ProtobufCLibrary.version),
      .init("libsodium", SodiumLibrary.version),
      .init("SQLite", SQLiteLibrary.version),
      .init("libmicrohttpd", MicroHTTPDLibrary.version),
      .init("libcurl", CurlLibrary.version),
    ]
    if let version = PostgresLibrary.version { libraries.append(.init("libpq", version)) }
    return ProgramVersion("rpcd", TidingsServer.version, libraries: libraries)
  }
}
