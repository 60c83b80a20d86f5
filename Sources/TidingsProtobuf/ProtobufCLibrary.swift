internal import CProtobufC

/// The protobuf-c that is loaded.
public enum ProtobufCLibrary {
  /// As it names itself, for example `1.4.1`.
  public static var version: String { String(cString: protobuf_c_version()) }
}
