internal import CCurl
internal import Glibc
internal import Synchronization
internal import TidingsThreads

/// Sends requests with libcurl on one thread, many at a time, over HTTP/2 where a server has it.
///
/// Unchecked: the multi handle is used by that thread alone, but for `curl_multi_wakeup`, which libcurl allows from any
/// thread until the handle is cleaned up, after the thread has ended; all else is behind a mutex or never changes.
package final class Transfers: @unchecked Sendable {
  /// How requests are sent.
  package struct Settings: Sendable {
    package var rule = AddressRule()
    package var allowsHTTP = false
    /// Certificates to trust in place of the system's: a file in PEM.
    package var certificates: String?
    package var timeout = Duration.seconds(15)
    package var agent = "Tidings"

    package init() {}
  }

  package typealias Outcome = Result<TransferAnswer, TransferFailure>

  private struct Waiting {
    var requests: [(TransferRequest, @Sendable (Outcome) -> Void)] = []
    var isStopping = false
    var hasEnded = false
  }

  /// One request on its way; used by the thread.
  private final class Running {
    let easy: UnsafeMutableRawPointer
    let rule: AddressRule
    let done: @Sendable (Outcome) -> Void
    var headerList: UnsafeMutablePointer<curl_slist>?
    /// libcurl reads it while the request is sent.
    let body: UnsafeMutableBufferPointer<UInt8>
    var answer = TransferAnswer(status: 0)
    var headerBytes = 0
    var bodyBytes = 0
    var hasRefusedAddress = false
    var hasAdmittedAddress = false

    init(
      _ easy: UnsafeMutableRawPointer,
      _ rule: AddressRule,
      body: [UInt8],
      _ done: @escaping @Sendable (Outcome) -> Void
    ) {
      (self.easy, self.rule, self.done) = (easy, rule, done)
      self.body = .allocate(capacity: max(1, body.count))
      _ = self.body.update(fromContentsOf: body)
    }

    deinit {
      curl_easy_cleanup(easy)
      curl_slist_free_all(headerList)
      body.deallocate()
    }
  }

  /// The beginning of an answer that is kept, and what ends the transfer when it is more.
  private static let keptBytesMax = 16_384
  private static let bodyBytesMax = 262_144
  private static let headerBytesMax = 65_536

  private let settings: Settings
  private let multi: UnsafeMutableRawPointer
  private let waiting = Mutex(Waiting())
  private let ended = Semaphore()

  /// Starts the thread.
  package init(_ settings: Settings) throws(TransferFailure) {
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let multi = curl_multi_init()
    else { throw TransferFailure("libcurl cannot be initialized") }
    (self.settings, self.multi) = (settings, multi)
    _ = tidings_curl_multi_set(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    _ = tidings_curl_multi_set(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, 100)
    _ = tidings_curl_multi_set(multi, CURLMOPT_MAXCONNECTS, 256)
    do {
      try startThread("transfers") { [self] in run() }
    } catch {
      throw TransferFailure("\(error)")
    }
  }

  deinit { curl_multi_cleanup(multi) }

  /// Sends a request.
  ///
  /// - Returns: What came back: no redirect is followed.
  /// - Throws: `TransferFailure`.
  package func send(_ request: TransferRequest) async throws(TransferFailure) -> TransferAnswer {
    let outcome = await withCheckedContinuation { continuation in
      submit(request) { continuation.resume(returning: $0) }
    }
    return try outcome.get()
  }

  private func submit(
    _ request: TransferRequest,
    _ done: @escaping @Sendable (Outcome) -> Void
  ) {
    let isTaken = waiting.withLock { waiting in
      guard !waiting.isStopping else { return false }
      waiting.requests.append((request, done))
      return true
    }
    guard isTaken else { return done(.failure(TransferFailure("the sender is stopping"))) }
    curl_multi_wakeup(multi)
  }

  /// Ends all requests, and the thread.
  package func stop() {
    waiting.withLock { $0.isStopping = true }
    curl_multi_wakeup(multi)
    ended.wait()
  }

  // MARK: The thread

  private func run() {
    var running: [UnsafeMutableRawPointer: Running] = [:]
    while true {
      let (requests, isStopping) = waiting.withLock { waiting in
        defer { waiting.requests = [] }
        return (waiting.requests, waiting.isStopping)
      }
      for (request, done) in requests {
        if let next = begin(request, done) { running[next.easy] = next }
      }
      if isStopping { break }
      var count: Int32 = 0
      curl_multi_perform(multi, &count)
      var left: Int32 = 0
      while let message = curl_multi_info_read(multi, &left) {
        guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
          let ending = running.removeValue(forKey: easy)
        else { continue }
        let result = tidings_curl_result(message)
        curl_multi_remove_handle(multi, easy)
        finish(ending, result)
      }
      curl_multi_poll(multi, nil, 0, 1_000, nil)
    }
    for last in running.values {
      curl_multi_remove_handle(multi, last.easy)
      last.done(.failure(TransferFailure("the sender is stopping")))
    }
    running.removeAll()
    ended.signal()
  }

  private func finish(_ transfer: Running, _ result: CURLcode) {
    var answer = transfer.answer
    answer.status = tidings_curl_status(transfer.easy)
    // Whoever answers more than is read has answered.
    let isCut = result == CURLE_WRITE_ERROR && answer.status >= 200
    guard result == CURLE_OK || isCut else {
      // A name may have other addresses, and one that was connected to failed for a reason of its own.
      let isRefused = transfer.hasRefusedAddress && !transfer.hasAdmittedAddress
      var failure = TransferFailure(
        isRefused
          ? "the host has an address that is not allowed"
          : String(cString: curl_easy_strerror(result))
      )
      failure.isRefused = isRefused
      return transfer.done(.failure(failure))
    }
    transfer.done(.success(answer))
  }

  private func begin(
    _ request: TransferRequest,
    _ done: @escaping @Sendable (Outcome) -> Void
  ) -> Running? {
    guard let easy = curl_easy_init() else {
      done(.failure(TransferFailure("no memory")))
      return nil
    }
    let transfer = Running(easy, settings.rule, body: request.body, done)
    let context = Unmanaged.passUnretained(transfer).toOpaque()
    func number(_ option: CURLoption, _ value: Int) {
      _ = tidings_curl_set_number(easy, option, value)
    }
    func text(_ option: CURLoption, _ value: String) {
      _ = tidings_curl_set_text(easy, option, value)
    }
    text(CURLOPT_URL, request.url)
    text(CURLOPT_PROTOCOLS_STR, settings.allowsHTTP ? "https,http" : "https")
    // No proxy of the environment, no cookies, no passwords of the user's files, no redirect.
    text(CURLOPT_PROXY, "")
    number(CURLOPT_FOLLOWLOCATION, 0)
    number(CURLOPT_NETRC, 0)
    number(CURLOPT_NOSIGNAL, 1)
    let milliseconds = Int(settings.timeout / .milliseconds(1))
    number(CURLOPT_TIMEOUT_MS, milliseconds)
    number(CURLOPT_CONNECTTIMEOUT_MS, milliseconds)
    number(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    number(CURLOPT_PIPEWAIT, request.sharesConnection ? 1 : 0)
    if let path = settings.certificates { text(CURLOPT_CAINFO, path) }
    text(CURLOPT_USERAGENT, settings.agent)
    number(CURLOPT_POST, 1)
    number(CURLOPT_POSTFIELDSIZE, request.body.count)
    _ = tidings_curl_set_pointer(easy, CURLOPT_POSTFIELDS, transfer.body.baseAddress)
    for (name, value) in request.headers + [("Expect", "")] {
      let line = value.isEmpty ? "\(name):" : "\(name): \(value)"
      transfer.headerList = curl_slist_append(transfer.headerList, line)
    }
    _ = tidings_curl_set_pointer(easy, CURLOPT_HTTPHEADER, transfer.headerList)
    _ = tidings_curl_set_pointer(easy, CURLOPT_WRITEDATA, context)
    _ = tidings_curl_set_receive(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      Transfers.receive(bytes, size * count, context)
    }
    _ = tidings_curl_set_pointer(easy, CURLOPT_HEADERDATA, context)
    _ = tidings_curl_set_receive(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      Transfers.receiveHeader(bytes, size * count, context)
    }
    _ = tidings_curl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, context)
    _ = tidings_curl_set_open(easy) { context, _, address in Transfers.open(address, context) }
    curl_multi_add_handle(multi, easy)
    return transfer
  }

  private static func running(_ context: UnsafeMutableRawPointer?) -> Running? {
    context.map { Unmanaged<Running>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func receive(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
  ) -> Int {
    guard let bytes, let transfer = running(context) else { return 0 }
    transfer.bodyBytes += count
    guard transfer.bodyBytes <= bodyBytesMax else { return 0 }
    let room = max(0, keptBytesMax - transfer.answer.body.count)
    transfer.answer.body += UnsafeRawBufferPointer(start: bytes, count: min(room, count))
    return count
  }

  private static func receiveHeader(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
  ) -> Int {
    guard let bytes, let transfer = running(context) else { return 0 }
    transfer.headerBytes += count
    guard transfer.headerBytes <= headerBytesMax else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: count)
    // Only what is asked for is kept.
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return count }
    let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
    if name == "retry-after" {
      let value = line[(colon + 1)...].filter { $0 >= 0x20 && $0 < 0x7f }
      let text = String(decoding: value, as: UTF8.self)
      transfer.answer.headers[name] = String(text.drop { $0 == " " })
    }
    return count
  }

  /// Opens the socket for an address that a name was resolved to: the one that is connected to.
  private static func open(
    _ address: UnsafeMutablePointer<curl_sockaddr>?,
    _ context: UnsafeMutableRawPointer?
  ) -> curl_socket_t {
    guard let address, let transfer = running(context) else { return -1 }
    guard
      transfer.rule.admits(tidings_curl_address(address), length: Int(address.pointee.addrlen))
    else {
      transfer.hasRefusedAddress = true
      return -1
    }
    transfer.hasAdmittedAddress = true
    return socket(
      address.pointee.family,
      address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
      address.pointee.protocol
    )
  }
}
