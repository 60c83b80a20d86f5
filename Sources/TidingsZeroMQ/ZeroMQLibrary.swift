internal import CZeroMQ

/// The libzmq that is loaded.
public enum ZeroMQLibrary {
  /// As it names itself, for example `4.3.4`.
  public static var version: String {
    var (major, minor, patch): (CInt, CInt, CInt) = (0, 0, 0)
    zmq_version(&major, &minor, &patch)
    return "\(major).\(minor).\(patch)"
  }
}
