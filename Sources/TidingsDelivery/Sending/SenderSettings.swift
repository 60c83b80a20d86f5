package import TidingsKeys

/// How a sender runs.
package struct SenderSettings: Sendable {
  /// The server's endpoints for calls.
  package var endpoints = ["tcp://127.0.0.1:5570"]
  /// The sender's key; `nil`: the server is in development mode.
  package var keys: ClientKeys?
  /// How requests are sent.
  package var transfers = Transfers.Settings()
  /// Deliveries that are held at a time.
  package var inFlightMax = 256
  /// Requests to a host of webhooks or Web Push at a time.
  package var inFlightPerHost = 16
  /// How long deliveries are leased: several times as long as a request may take.
  package var lease = Duration.seconds(60)
  package var schedule = RetrySchedule.standard
  package var apns: APNS.Account?
  package var fcm: FCM.Account?
  package var vapid: (key: PrivateKey, subject: String)?

  package init() {}
}
