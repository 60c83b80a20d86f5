internal import TidingsProto
internal import TidingsRPC
internal import TidingsWire

/// Encodes the headers of requests, and lends them.
enum RequestHeaderEncoder {
  private typealias Field = TidingsRpcV1.RequestHeader.FieldNumber

  /// Starts a call; the timeout is what is left of it.
  static func call<R>(
    _ call: OutgoingCall,
    timeout: Duration?,
    _ body: (UnsafeRawBufferPointer) -> R
  ) -> R {
    let fields = call.context.fields
    let bytesMax = 3 * WireCursor.fieldBytesMax + call.method.utf8.count + fields.count
    return encode(bytesMax, body) { cursor in
      cursor.add(Field.callID, varint: call.id)
      cursor.add(Field.method, call.method)
      if let timeout {
        let milliseconds = UInt32(clamping: max(1, timeout.wholeMilliseconds))
        cursor.add(Field.timeoutMs, varint: UInt64(milliseconds))
      }
      fields.withUnsafeBytes { cursor.append($0) }
    }
  }

  /// Gives a call up.
  static func cancel<R>(_ id: UInt64, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    encode(2 * WireCursor.fieldBytesMax, body) { cursor in
      cursor.add(Field.callID, varint: id)
      cursor.add(Field.kind, varint: kind(.cancel))
    }
  }

  /// Lets a stream send more.
  static func credit<R>(
    _ id: UInt64,
    _ count: UInt32,
    _ body: (UnsafeRawBufferPointer) -> R
  ) -> R {
    encode(3 * WireCursor.fieldBytesMax, body) { cursor in
      cursor.add(Field.callID, varint: id)
      cursor.add(Field.kind, varint: kind(.credit))
      cursor.add(Field.credit, varint: UInt64(count))
    }
  }

  private static func kind(_ kind: TidingsRpcV1.RequestKind) -> UInt64 { UInt64(kind.rawValue) }

  private static func encode<R>(
    _ bytesMax: Int,
    _ body: (UnsafeRawBufferPointer) -> R,
    _ write: (inout WireCursor) -> Void
  ) -> R {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytesMax) { memory in
      var cursor = WireCursor(memory)
      write(&cursor)
      return body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[..<cursor.count]))
    }
  }
}
