// Whoever measures has the statistics at hand; they are a library of their own because rpcctl, which
// has no Foundation, uses them too.
@_exported public import BenchStatistics
