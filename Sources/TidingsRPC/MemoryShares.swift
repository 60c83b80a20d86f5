/// What a server may hold in memory for its clients, and what part of it each of its queues has.
///
/// The parts and that of subscriptions, which the engine counts, are the whole of it. The process itself, what is being
/// decoded, schemas and what the allocator loses come on top: seldom are all parts full.
public struct MemoryShares: Hashable, Sendable {
  /// Of the whole process, 2 GiB.
  public static let defaultBytes = 2 << 30
  /// The least with which the parts still fit together: 192 MiB.
  public static let bytesMin = 192 << 20

  /// Of the whole process.
  public let bytes: Int

  /// The parts of a memory, of at least `bytesMin`.
  public init(bytes: Int = defaultBytes) { self.bytes = max(bytes, Self.bytesMin) }

  // MARK: One call

  /// The largest frame.
  public var frameBytesMax: Int { min(WireLimits.frameBytesMax, bytes / 32) }
  /// What one call may take in decoded form.
  public var decodedBytesMax: Int { 4 * frameBytesMax }

  // MARK: What was received

  /// Messages in libzmq that wait, or have not ended; a message may be as large as a frame.
  public var received: Int { bytes / 8 }
  /// Requests that wait for their turn.
  public var requestsWaiting: Int { bytes / 8 }
  /// Calls that are postponed, and those that wait behind them.
  public var callsPostponed: Int { bytes / 16 }
  /// Calls that wait for the end of a long one.
  public var callsBehindLong: Int { bytes / 32 }
  /// Queries, feeds and large saves that wait for a thread; of one caller half of it, in which the largest frame has room.
  public var readsWaiting: Int { bytes / 16 }
  /// Calls that wait for a change.
  public var changeWaits: Int { bytes / 32 }

  // MARK: What is to be sent

  /// Answers of a group that is not committed.
  public var groupAnswers: Int { bytes / 32 }
  /// Answers that their clients have not read.
  public var unreadAnswers: Int { bytes / 4 }
  /// Those of a user's connections.
  public var unreadAnswersPerUser: Int { bytes / 8 }
  /// Those of one connection.
  public var unreadAnswersPerConnection: Int { bytes / 16 }
  /// Those of one connection that libzmq is given.
  public var unreadAnswersInLibzmq: Int { bytes / 32 }

  // MARK: Topics

  /// What libzmq keeps of the topics for which subscribers ask.
  public var topics: Int { bytes / 32 * 3 }
  /// Those of a user's connections.
  public var topicsPerUser: Int { bytes / 16 }

  /// What libzmq keeps of a topic at most: some 900 bytes of 16 random ones, 2,300 of those that are chosen to need much.
  ///
  /// - Parameter byteCount: The topic's length.
  /// - Returns: Bytes.
  public static func topicCost(_ byteCount: Int) -> Int { 1_792 + 34 * byteCount }

  // MARK: Pages of the store

  /// Of the connection that writes.
  public var writerPages: Int { bytes / 32 }
  /// Of each thread that reads.
  public var readerPages: Int { bytes / 128 }
}
