internal import TidingsProto
internal import TidingsWire

/// The headers of forwarded requests and of their answers: as they were received, with fields behind them.
///
/// Of several values of a field the last one counts, so that nothing has to be read or moved.
enum ForwardingHeader {
  private typealias Request = TidingsRpcV1.RequestHeader.FieldNumber
  private typealias Response = TidingsRpcV1.ResponseHeader.FieldNumber

  /// How much longer a header becomes at most.
  static let addedBytesMax = 3 * WireCursor.fieldBytesMax

  /// A request's header with another number, the key of its caller, and what is left of its time, if it waited.
  static func request<R>(
    _ header: UnsafeRawBufferPointer,
    number: UInt64,
    key: Int64?,
    timeoutMilliseconds: UInt32?,
    _ body: (UnsafeRawBufferPointer) -> R
  ) -> R {
    extended(header, body) { cursor in
      cursor.add(Request.callID, varint: number)
      // Also if there is none: the client may have named one.
      cursor.add(Request.forwardedKey, varint: UInt64(key ?? 0))
      if let timeoutMilliseconds {
        cursor.add(Request.timeoutMs, varint: UInt64(timeoutMilliseconds))
      }
    }
  }

  /// A request's header with another number and another method, and the key of its caller.
  static func request<R>(
    _ header: UnsafeRawBufferPointer,
    number: UInt64,
    key: Int64?,
    method: String,
    _ body: (UnsafeRawBufferPointer) -> R
  ) -> R {
    extended(header, room: method.utf8.count, body) { cursor in
      cursor.add(Request.callID, varint: number)
      cursor.add(Request.method, method)
      cursor.add(Request.forwardedKey, varint: UInt64(key ?? 0))
    }
  }

  /// An answer's header with the client's name for the call.
  static func response<R>(
    _ header: UnsafeRawBufferPointer,
    callID: UInt64,
    _ body: (UnsafeRawBufferPointer) -> R
  ) -> R {
    extended(header, body) { cursor in
      cursor.add(Response.callID, varint: callID)
    }
  }

  private static func extended<R>(
    _ header: UnsafeRawBufferPointer,
    room: Int = 0,
    _ body: (UnsafeRawBufferPointer) -> R,
    _ write: (inout WireCursor) -> Void
  ) -> R {
    let bytesMax = header.count + addedBytesMax + room
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytesMax) { memory in
      var cursor = WireCursor(memory)
      cursor.append(header)
      write(&cursor)
      return body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[..<cursor.count]))
    }
  }
}
