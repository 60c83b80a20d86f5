internal import CMicroHTTPD
internal import Synchronization

/// An HTTP/1.1 server on libmicrohttpd: a thin shell that hands whole requests to a closure and sends what it
/// returns.
///
/// A connection is suspended while its request is answered, so that threads wait for nobody.
package final class HTTPServer: Sendable {
  /// Decides by the head what becomes of a body.
  package typealias Planner = @Sendable (HTTPHead) -> HTTPBodyPlan
  /// Answers a request.
  package typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

  /// The port; the one that was found, if 0 was asked for.
  package let port: UInt16
  /// Unchecked: `MHD_stop_daemon` is called once, by `stop`, and nothing else uses it.
  private struct Daemon: @unchecked Sendable { var pointer: OpaquePointer? }
  private let daemon: Mutex<Daemon>
  private let core: HTTPCore

  /// Starts listening.
  package init(
    _ configuration: HTTPConfiguration,
    planning: @escaping Planner,
    handler: @escaping Handler
  ) throws(HTTPError) {
    let socket = try ListeningSocket(
      configuration.address,
      silentSeconds: configuration.idleSeconds
    )
    port = socket.port
    core = HTTPCore(configuration, planning, handler)
    let context = Unmanaged.passUnretained(core).toOpaque()
    var flags =
      MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
      | MHD_USE_ITC.rawValue
    if configuration.tls != nil { flags |= MHD_USE_TLS.rawValue }
    var options = [
      MHD_OptionItem(.LISTEN_SOCKET, Int(socket.descriptor)),
      MHD_OptionItem(.CONNECTION_LIMIT, configuration.connectionsMax),
      MHD_OptionItem(.CONNECTION_TIMEOUT, configuration.idleSeconds),
      MHD_OptionItem(.CONNECTION_MEMORY_LIMIT, configuration.headBytesMax),
      MHD_OptionItem(
        .NOTIFY_COMPLETED,
        Int(tidings_mhd_completed_value(HTTPCore.completed)),
        context
      ),
      MHD_OptionItem(
        .NOTIFY_CONNECTION,
        Int(tidings_mhd_connected_value(HTTPCore.connected)),
        context
      ),
      MHD_OptionItem(
        .URI_LOG_CALLBACK,
        Int(tidings_mhd_uri_value(HTTPCore.received)),
        context
      ),
      MHD_OptionItem(
        .UNESCAPE_CALLBACK,
        Int(tidings_mhd_unescape_value(HTTPCore.unescape)),
        nil
      ),
    ]
    if configuration.threadCount > 1 {
      options.append(MHD_OptionItem(.THREAD_POOL_SIZE, configuration.threadCount))
    }
    if configuration.connectionsPerAddressMax > 0 {
      options.append(
        MHD_OptionItem(
          .PER_IP_CONNECTION_LIMIT,
          configuration.connectionsPerAddressMax
        )
      )
    }
    let started = Self.withTLS(configuration.tls, options) { options in
      tidings_mhd_start(flags, HTTPCore.access, context, options)
    }
    guard let started else {
      throw HTTPError(
        configuration.tls == nil
          ? "libmicrohttpd did not start"
          : "libmicrohttpd did not start: are the certificate and the key PEM, and of each other?"
      )
    }
    daemon = Mutex(Daemon(pointer: started))
  }

  /// Takes no more connections, lets requests be answered, and closes.
  ///
  /// Ends streams first: whoever waits for events connects again, elsewhere. A download goes on for a while.
  package func stop() async {
    await core.drain(patience: .seconds(15))
    let daemon = daemon.withLock { daemon in
      defer { daemon.pointer = nil }
      return daemon
    }
    guard daemon.pointer != nil else { return }
    MHD_stop_daemon(daemon.pointer)
  }

  /// libmicrohttpd copies key and certificate while it starts.
  private static func withTLS(
    _ tls: (certificate: String, key: String)?,
    _ options: [MHD_OptionItem],
    _ body: (UnsafeMutablePointer<MHD_OptionItem>?) -> OpaquePointer?
  ) -> OpaquePointer? {
    func start(_ options: [MHD_OptionItem]) -> OpaquePointer? {
      var options = options + [MHD_OptionItem(.END, 0)]
      return options.withUnsafeMutableBufferPointer { body($0.baseAddress) }
    }
    guard let tls else { return start(options) }
    return tls.certificate.withCString { certificate in
      tls.key.withCString { key in
        start(
          options + [
            MHD_OptionItem(.HTTPS_MEM_CERT, 0, tidings_mhd_pointer(certificate)),
            MHD_OptionItem(.HTTPS_MEM_KEY, 0, tidings_mhd_pointer(key)),
          ]
        )
      }
    }
  }
}

extension MHD_OptionItem {
  fileprivate init(_ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil) {
    self.init(option: option, value: value, ptr_value: pointer)
  }
}
