/// Jobs that wait for a thread, first come, first served: bounded in number and in what they hold.
struct JobQueue<Job> {
  private let countMax: Int
  private let bytesMax: Int
  private var jobs: [(job: Job, bytes: Int)] = []
  private var next = 0
  private var bytes = 0
  /// It takes no more jobs.
  private(set) var isStopping = false

  /// A queue of so many jobs at most, with so many bytes together.
  init(countMax: Int, bytesMax: Int = .max) {
    self.countMax = countMax
    self.bytesMax = bytesMax
  }

  /// Adds a job that holds so many bytes.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - count: The bytes.
  ///   - isRest: It belongs to a job that was done, of which there are not many: it has room.
  /// - Returns: `false` when there is no room, or when the queue is stopping.
  mutating func add(_ job: Job, bytes count: Int = 0, isRest: Bool = false) -> Bool {
    let hasRoom = isRest || jobs.count - next < countMax && count <= bytesMax - bytes
    guard hasRoom, !isStopping else { return false }
    jobs.append((job, count))
    bytes += count
    return true
  }

  /// Removes the first job.
  mutating func takeNext() -> Job? {
    guard next < jobs.count else { return nil }
    let (job, count) = jobs[next]
    next += 1
    bytes -= count
    // What is done must not keep its memory while more comes.
    if next == jobs.count || next == Self.doneMax {
      jobs.removeSubrange(..<next)
      next = 0
    }
    return job
  }

  /// Takes no more jobs from now on, and removes those that wait.
  mutating func stop() -> [Job] {
    isStopping = true
    defer { (jobs, next, bytes) = ([], 0, 0) }
    return jobs[next...].map(\.job)
  }

  /// Jobs that are done and not removed yet.
  private static var doneMax: Int { 16 }
}
