/// What was published last, for the nodes that publish it too: a bounded queue with numbers.
struct PublicationRing {
  /// A message for the subscribers of a topic.
  struct Publication: Equatable {
    let topic: [UInt8]
    let body: [UInt8]

    fileprivate var bytes: Int { topic.count + body.count + PublicationRing.overheadBytes }
  }

  /// Bytes that are kept; a node that is further behind reads from the log.
  private let bytesMax: Int
  /// Most of an answer.
  static let answerBytesMax = 1 << 20
  private static let overheadBytes = 64

  private var publications: [Publication] = []
  /// Where the kept ones begin in `publications`.
  private var head = 0
  private var bytes = 0
  /// The number of the newest; 0: there was none.
  private(set) var last: UInt64 = 0

  /// Room for publications of so many bytes.
  init(bytesMax: Int) { self.bytesMax = bytesMax }

  /// Adds a publication, and forgets the oldest if there are too many.
  mutating func append(_ publication: Publication) {
    publications.append(publication)
    last += 1
    bytes += publication.bytes
    while bytes > bytesMax {
      bytes -= publications[head].bytes
      head += 1
    }
    if head > 1_024, head * 2 > publications.count {
      publications.removeFirst(head)
      head = 0
    }
  }

  /// A publication is not kept, since nobody follows: who comes back finds that something is missing.
  mutating func skip() {
    last += 1
    guard !publications.isEmpty else { return }
    (publications, head, bytes) = ([], 0, 0)
  }

  /// The number of the oldest publication that is kept, or of the next one.
  private var first: UInt64 { last + 1 - UInt64(publications.count - head) }

  /// The publications after a number, as many as fit into an answer.
  ///
  /// - Returns: `nil`: some of them are not kept any more, or the number was never given.
  func publications(after number: UInt64) -> ArraySlice<Publication>? {
    guard number + 1 >= first, number <= last else { return nil }
    let start = head + Int(number + 1 - first)
    var (end, size) = (start, 0)
    while end < publications.count, end == start || size < Self.answerBytesMax {
      size += publications[end].bytes
      end += 1
    }
    return publications[start..<end]
  }
}
