internal import CommandLineTools
internal import TidingsGateway
internal import TidingsHTTP
internal import TidingsKeys
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsTracing
internal import TidingsZeroMQ

extension ProgramVersion {
  /// That of rpcgw, with what it uses of the system.
  static let rpcgw = ProgramVersion(
    "rpcgw",
    Version.current,
    libraries: [
      .init("libmicrohttpd", MicroHTTPDLibrary.version),
      .init("GnuTLS", GnuTLSLibrary.version),
      .init("libcurl", CurlLibrary.version),
      .init("libzmq", ZeroMQLibrary.version),
      .init("protobuf-c", ProtobufCLibrary.version),
      .init("libsodium", SodiumLibrary.version),
    ]
  )
}
