/// Returns a number with its noun: `1 record`, `2 records`.
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
