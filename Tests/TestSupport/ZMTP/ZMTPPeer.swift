internal import Glibc
internal import Synchronization
public import TidingsKeys
public import TidingsProto
internal import TidingsProtobuf

/// A client of ZMTP 3.1 that says what no libzmq would: any property, any frame, in any pieces.
public final class ZMTPPeer: Sendable {
  /// What the client reports itself, in this order.
  public struct Properties: Sendable {
    public var pairs: [(name: String, value: [UInt8])]

    public init(_ pairs: [(name: String, value: [UInt8])]) { self.pairs = pairs }

    /// Those of a DEALER that claims a routing id.
    public static func dealer(claiming id: [UInt8]) -> Self {
      Self([("Socket-Type", Array("DEALER".utf8)), ("Identity", id)])
    }

    /// Those of a SUB.
    public static let subscriber = Self([("Socket-Type", Array("SUB".utf8))])

    var encoded: [UInt8] {
      pairs.flatMap { pair in
        [UInt8(pair.name.utf8.count)] + Array(pair.name.utf8)
          + withUnsafeBytes(of: UInt32(pair.value.count).bigEndian) { Array($0) } + pair.value
      }
    }
  }

  private let descriptor: CInt
  private let mechanism: Mutex<any ZMTPMechanism & Sendable>
  private let pieceBytes: Int
  private let usesLongFrames: Bool

  /// Connects and makes the handshake.
  ///
  /// - Parameters:
  ///   - endpoint: `tcp://127.0.0.1:PORT`.
  ///   - keys: For CURVE; `nil`: NULL.
  ///   - properties: What it reports itself.
  ///   - pieceBytes: Of so many bytes is each write of the handshake.
  ///   - usesLongFrames: Lengths of frames are sent in eight bytes.
  ///   - receiveBufferBytes: What the system keeps for this side; 0: the default.
  /// - Returns: The peer, once the server knows it.
  /// - Throws: `WaitingFailure` when the server ends the connection or refuses it.
  public static func connect(
    _ endpoint: String,
    keys: ClientKeys? = nil,
    _ properties: Properties = .dealer(claiming: []),
    pieceBytes: Int = .max,
    usesLongFrames: Bool = false,
    receiveBufferBytes: Int32 = 0
  ) async throws -> ZMTPPeer {
    try await blocking {
      let peer = try ZMTPPeer(endpoint, keys, pieceBytes, usesLongFrames, receiveBufferBytes)
      try peer.shakeHands(properties.encoded)
      return peer
    }
  }

  private init(
    _ endpoint: String,
    _ keys: ClientKeys?,
    _ pieceBytes: Int,
    _ usesLongFrames: Bool,
    _ receiveBufferBytes: Int32
  ) throws {
    guard let port = endpoint.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      throw WaitingFailure(description: "no port in \(endpoint)")
    }
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw WaitingFailure(description: "no descriptor left") }
    mechanism = Mutex(keys.map { CurveMechanism($0) } ?? NullMechanism())
    self.pieceBytes = pieceBytes
    self.usesLongFrames = usesLongFrames
    var one: CInt = 1
    setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    var patience = timeval(tv_sec: 600, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, 16)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, 16)
    if receiveBufferBytes > 0 {
      var size = receiveBufferBytes
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let code = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw WaitingFailure(description: "cannot connect to \(endpoint)") }
  }

  deinit { close(descriptor) }

  /// Ends the connection.
  public func disconnect() { shutdown(descriptor, CInt(SHUT_RDWR)) }

  /// Sends the frames of one message.
  public func send(_ frames: [[UInt8]]) async throws { try await send(messages: [frames]) }

  /// Sends messages one after the other, without waiting for a task's turn in between.
  public func send(messages: [[[UInt8]]]) async throws {
    try await blocking { [self] in
      for frames in messages {
        for (index, frame) in frames.enumerated() {
          try write(frame, flags: index + 1 < frames.count ? 1 : 0)
        }
      }
    }
  }

  /// Sends the beginning of a frame that is not sealed, and no more.
  public func begin(frameOf count: Int, sending bytes: Int) async throws {
    try await blocking { [self] in try sendAll(head(0, count) + [UInt8](repeating: 0, count: bytes))
    }
  }

  /// Sends frames of a message that does not end, until the server ends the connection.
  ///
  /// - Returns: How many it took, at most `countMax`.
  public func sendEndlessMessage(of frame: [UInt8], countMax: Int) async throws -> Int {
    try await blocking { [self] in
      var count = 0
      while count < countMax, (try? write(frame, flags: 1)) != nil { count += 1 }
      return count
    }
  }

  /// Asks for a topic.
  public func subscribe(_ topic: [UInt8]) async throws { try await send([[1] + topic]) }

  /// Asks for topics of 16 bytes, until the server ends the connection.
  ///
  /// - Returns: How many it took, at most `countMax`.
  public func subscribeEndlessly(countMax: UInt64) async throws -> UInt64 {
    try await blocking { [self] in
      for number in 1...countMax {
        let half = withUnsafeBytes(of: number.bigEndian) { Array($0) }
        guard (try? write([1] + half + half, flags: 0)) != nil else { return number - 1 }
      }
      return countMax
    }
  }

  /// Waits for a message; answers the server's pings meanwhile.
  public func receive() async throws -> [[UInt8]] {
    try await blocking { [self] in
      var frames: [[UInt8]] = []
      while true {
        let (flags, frame) = try read()
        if flags & 4 != 0 {
          try answer(frame)
          continue
        }
        frames.append(frame)
        if flags & 1 == 0 { return frames }
      }
    }
  }

  /// Waits until the server has ended the connection; what it sends meanwhile is dropped.
  public func waitForEnd() async throws {
    try await blocking { [self] in
      while let (flags, frame) = try? read() {
        if flags & 4 != 0 { try? answer(frame) }
      }
    }
  }

  /// Sends a message and waits for the answer; the connection may end instead.
  ///
  /// - Returns: `nil`: it has ended.
  public func ask(_ frames: [[UInt8]]) async -> [[UInt8]]? {
    guard (try? await send(frames)) != nil else { return nil }
    return try? await receive()
  }

  private func answer(_ command: [UInt8]) throws {
    guard command.starts(with: [4] + Array("PING".utf8)), command.count >= 7 else { return }
    try write([4] + Array("PONG".utf8) + command[7...], flags: 4)
  }

  private func shakeHands(_ properties: [UInt8]) throws {
    let name = mechanism.withLock { type(of: $0).name }
    try sendAll(
      [0xff] + [UInt8](repeating: 0, count: 8) + [0x7f, 3, 1] + Array(name.utf8)
        + [UInt8](repeating: 0, count: 20 - name.utf8.count) + [UInt8](repeating: 0, count: 32)
    )
    _ = try receiveAll(64)
    try mechanism.withLock { mechanism in
      try mechanism.greet(properties) { command in
        try sendAll(head(4, command.count) + command)
        return try readFrame().body
      }
    }
  }

  private func write(_ frame: [UInt8], flags: UInt8) throws {
    try mechanism.withLock { mechanism in
      let sealed = mechanism.seal(flags, frame)
      try sendAll(head(sealed.flags, sealed.body.count) + sealed.body)
    }
  }

  private func read() throws -> (flags: UInt8, frame: [UInt8]) {
    let (flags, body) = try readFrame()
    return try mechanism.withLock { try $0.open(flags, body) }
  }

  private func head(_ flags: UInt8, _ count: Int) -> [UInt8] {
    if !usesLongFrames, count < 256 { return [flags, UInt8(count)] }
    return [flags | 2] + withUnsafeBytes(of: UInt64(count).bigEndian) { Array($0) }
  }

  private func readFrame() throws -> (flags: UInt8, body: [UInt8]) {
    let flags = try receiveAll(1)[0]
    let size = try receiveAll(flags & 2 != 0 ? 8 : 1).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return (flags, try receiveAll(Int(size)))
  }

  private func sendAll(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(pieceBytes)
      let count = piece.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw WaitingFailure(description: "the connection has ended") }
      rest = rest.dropFirst(count)
    }
  }

  private func receiveAll(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = bytes.withUnsafeMutableBytes {
        recv(descriptor, $0.baseAddress?.advanced(by: filled), count - filled, 0)
      }
      guard got > 0 else { throw WaitingFailure(description: "the connection has ended") }
      filled += got
    }
    return bytes
  }
}

extension RawCall {
  /// Makes the call on a connection, and returns the answer's header and body.
  public func send(on peer: ZMTPPeer) async throws -> (TidingsRpcV1.ResponseHeader, [UInt8]) {
    try await peer.send([header.encoded(), body])
    return try await Self.answer(peer.receive())
  }
}
