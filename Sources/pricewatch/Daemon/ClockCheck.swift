import Foundation
import Markets

/// What the newest answers say of this machine's clock.
enum ClockTrust: Sendable {
    /// None has come since the start, or since the clock was set.
    case unproven
    /// It agrees with a provider's, or none names a time.
    case confirmed
    /// Nothing is recorded, judged, pruned, or summed up by it.
    case refuted
}

/// Whether our clock and the provider's agree: prices under a wrong time would spoil history and rules.
enum ClockCheck {
    static let tolerance = Duration.minutes(5)

    /// What is wrong; nil where the clocks agree or the provider names no time.
    static func fault(ours: Date, theirs: Date?) -> String? {
        guard let theirs else { return nil }
        let lead = ours.since(theirs)
        guard lead > tolerance || lead < .zero - tolerance else { return nil }
        let size = (lead < .zero ? .zero - lead : lead).unitsText
        return "this clock is \(size) \(lead > .zero ? "ahead of" : "behind") the provider's; nothing is recorded "
            + "(set the clock, or start time synchronisation)"
    }
}
