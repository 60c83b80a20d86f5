internal import CommandLineTools
internal import TidingsKeys
internal import TidingsProtobuf
internal import TidingsZeroMQ

extension ProgramVersion {
  /// That of rpcctl, with what it uses of the system.
  static let rpcctl = ProgramVersion(
    Program.name,
    Program.version,
    libraries: [
      .init("libzmq", ZeroMQLibrary.version),
      .init("protobuf-c", ProtobufCLibrary.version),
      .init("libsodium", SodiumLibrary.version),
    ]
  )
}
