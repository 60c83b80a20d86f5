import TidingsEngine
import TidingsModel

/// Nothing is decoded when an index alone decides a query, or when channels are loaded.
class NoCodec: BodyCodec {
  func encode(_ record: TidingsModel.Record) -> [UInt8] { [] }
  func decodeRecord(_ bytes: UnsafeRawBufferPointer) throws -> TidingsModel.Record {
    throw BenchError("nothing that is measured decodes records")
  }
  func encode(_ subscription: TidingsModel.Subscription) -> [UInt8] { [] }
  func decodeSubscription(_ bytes: UnsafeRawBufferPointer) throws -> TidingsModel.Subscription {
    throw BenchError("nothing that is measured decodes subscriptions")
  }
  func encode(_ source: EventSource) -> [UInt8] { [] }
  func encode(_ event: TidingsEngine.Event) -> [UInt8] { [] }
}
