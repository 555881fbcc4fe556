import Markets

/// The built-in rules. A configured rule of the same name overrides single keys.
enum BuiltInRule: String, CaseIterable {
    /// No usable answer from the provider.
    case feedStale = "feed-stale"
    /// A named market whose price has been stale for a while.
    case marketStale = "market-stale"
    /// A named market without a usable price in consecutive answers.
    case marketMissing = "market-missing"

    /// The number of consecutive answers.
    static let missedAnswers = 3
    private static let staleFor = Duration.minutes(10)
    private static let silentFor = Duration.minutes(10)

    var rule: Configuration.Rule {
        switch self {
        case .feedStale:
            var rule = Configuration.Rule(
                name: rawValue, scope: .feed(patiently: true), condition: .feedStale(Self.silentFor))
            rule.severity = .critical
            return rule
        case .marketStale:
            return Configuration.Rule(name: rawValue, scope: .named, condition: .marketStale(Self.staleFor))
        case .marketMissing:
            return Configuration.Rule(
                name: rawValue, scope: .named, condition: .marketMissing(answers: Self.missedAnswers))
        }
    }
}

extension Configuration.Rule {
    /// The built-in rule, with the keys of the section in place of its own.
    init(changing builtIn: BuiltInRule, by section: Section, channels: ChannelNames) {
        self = builtIn.rule
        if builtIn == .feedStale {
            for key in ["market", "markets"] where section.holds(key) {
                section.fault(at: key, "does not belong to \(name), which is about the provider as a whole")
                section.ignore(key)
            }
        } else if section.holds("market") || section.holds("markets") {
            scope = Self.scope(section) ?? scope
        }
        for key in Self.conditions + ["within", "clear"] where key != "stale" && section.holds(key) {
            section.fault(at: key, "does not belong to \(name), which is built in; give the rule another name")
            section.ignore(key)
        }
        // Both `stale` and `for` mean how long the condition must hold before the alert fires.
        let stale = section.value("stale", .duration(atLeast: .seconds(1)))
        readModifiers(section, channels: channels)
        switch builtIn {
        case .feedStale, .marketStale:
            if section.holds("for"), section.holds("stale") {
                section.fault(at: "for", "says the same as stale: use one of them")
            }
            guard let length = stale ?? (section.holds("for") ? holdFor : nil) else { break }
            if builtIn == .feedStale {
                (scope, condition) = (.feed(patiently: false), .feedStale(length))
            } else {
                condition = .marketStale(length)
            }
            holdFor = .zero
        case .marketMissing:
            if section.holds("stale") { section.fault(at: "stale", "does not belong to \(name)") }
        }
        section.finish()
    }
}
