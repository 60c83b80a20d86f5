internal import CommandLineTools
internal import TidingsDelivery
internal import TidingsKeys
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

extension ProgramVersion {
  /// That of rpcdeliver, with what it uses of the system.
  static let rpcdeliver = ProgramVersion(
    "rpcdeliver",
    Version.current,
    libraries: [
      .init("libcurl", TransferLibrary.version),
      .init("OpenSSL", CryptoLibrary.version),
      .init("libzmq", ZeroMQLibrary.version),
      .init("protobuf-c", ProtobufCLibrary.version),
      .init("libsodium", SodiumLibrary.version),
    ]
  )
}
