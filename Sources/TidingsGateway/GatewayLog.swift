#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// What a gateway reports beside requests, on standard error.
enum GatewayLog {
  static func warn(_ text: String) {
    var line = "rpcgw: \(text)\n"
    line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
