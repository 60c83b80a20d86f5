/// Rung by what gives the chores work, so that they are done soon.
final class ChoreBell {
  /// Somebody rang since the chores were woken last.
  private(set) var isRung = true

  func ring() { isRung = true }
  func silence() { isRung = false }
}
