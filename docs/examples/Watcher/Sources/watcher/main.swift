import Glibc
import TidingsClient

var configuration = ClientConfiguration(endpoint: "tcp://127.0.0.1:5570")
configuration.user = "realty"
configuration.device = "laptop"
do {
  let client = try await Client(configuration)
  for try await notification in client.notificationStream() {
    print(notification.subscriptionID, notification.notificationID)
  }
} catch {
  print("watcher: \(error)")
  exit(1)
}
