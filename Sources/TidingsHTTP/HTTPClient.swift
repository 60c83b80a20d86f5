internal import CMicroHTTPD

/// The other side of the connection of a request that is being answered.
package struct HTTPClient: Sendable {
  /// Open until the request is answered, or its connection was given up.
  private let descriptor: CInt

  init(_ connection: OpaquePointer) { descriptor = tidings_mhd_descriptor(connection) }

  /// It sends nothing more, so it does not wait for an answer either; libmicrohttpd does not look while a request is answered.
  package var isGone: Bool { descriptor >= 0 && tidings_is_half_closed(descriptor) != 0 }
}
