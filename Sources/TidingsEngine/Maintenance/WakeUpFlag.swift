/// Raised by what gives the maintenance tasks work, so that they run soon.
final class WakeUpFlag {
  /// It was raised since the tasks were woken last.
  private(set) var isRaised = true

  func raise() { isRaised = true }
  func lower() { isRaised = false }
}
