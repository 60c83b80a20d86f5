internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf

extension NotificationMethods {
  /// The first answer, without notifications that the caller may not see any more.
  func repeatedLeases(_ call: borrowing StoreCall, _ answer: [UInt8]) throws -> [UInt8] {
    let request = try TidingsV1.LeaseNotificationsRequest(
      decoding: call.body.bytes,
      in: call.arena
    )
    let (container, environment) = (
      try containerName(request.container), try request.environment.model
    )
    let caller = call.caller
    var response: TidingsV1.LeaseNotificationsResponse = try call.decoded(answer)
    response.notifications = try response.notifications.filter { leased in
      guard let id = leased.notification?.notificationID else { return false }
      do {
        _ = try engine.trace(id, for: caller, container: container, environment: environment)
        return true
      } catch is ItemError {
        return false
      }
    }
    return response.encoded(in: call.arena)
  }
}
