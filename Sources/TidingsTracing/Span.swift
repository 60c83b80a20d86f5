package import TidingsRPC

/// Something that took time, as it is sent.
package struct Span: Sendable {
  package enum Kind: Int32, Sendable {
    case `internal` = 1
    case server = 2
    case client = 3
    case producer = 4
    case consumer = 5
  }

  package enum Value: Sendable {
    case string(String)
    case integer(Int)
  }

  /// Most spans that a span names as others that it has to do with.
  package static let linksMax = 32

  package let context: TraceContext
  package let parent: SpanID?
  package let name: String
  package let kind: Kind
  /// Nanoseconds since 1970.
  package let start: Int64
  package var end: Int64
  package var attributes: [(name: String, value: Value)] = []
  package var links: [TraceContext] = []
  /// Why it failed; `nil`: it did not.
  package var failure: String?

  package init(
    _ context: TraceContext,
    parent: SpanID?,
    _ name: String,
    _ kind: Kind,
    start: Int64,
    end: Int64 = 0
  ) {
    (self.context, self.parent, self.name, self.kind) = (context, parent, name, kind)
    (self.start, self.end) = (start, end)
  }
}
