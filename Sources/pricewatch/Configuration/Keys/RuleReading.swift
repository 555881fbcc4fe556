import Engine
import Markets

extension Configuration.Rule {
    static let conditions = ["above", "below", "outside", "rises", "falls", "moves", "new_high", "new_low", "stale"]
    static let relative: Set = ["rises", "falls", "moves"]

    /// - Parameter builtIn: Whether the names of built-in rules refer to these.
    static func list(
        _ root: Section, channels: ChannelNames, kept: Configuration.History, builtIn: Bool
    ) -> [Configuration.Rule] {
        var rules: [Configuration.Rule] = []
        var names: Set<String> = []
        for item in root.items("alerts") {
            guard let section = item.section() else { continue }
            let name = section.asWritten("name", .name(upTo: 200))
            if let name, !names.insert(name).inserted {
                section.fault(at: "name", "another rule is called \(name.quoted), too")
            }
            if !section.mentions("name") { item.fault("needs a name") }
            if builtIn, let name, let rule = BuiltInRule(rawValue: name) {
                rules.append(Configuration.Rule(changing: rule, by: section, channels: channels))
                continue
            }
            guard let rule = Configuration.Rule(section, name: name ?? "", channels: channels) else { continue }
            if let window = rule.window, !kept.keepSamples.reaches(window.length),
                !kept.keepCandles.reaches(window.length)
            {
                section.fault(
                    at: window.key,
                    "the window of \(window.length.unitsText) is longer than what is kept; see history.keep_samples")
            }
            if name != nil { rules.append(rule) }
        }
        return rules
    }

    private init?(_ section: Section, name: String, channels: ChannelNames) {
        let scope = Self.scope(section)
        let condition = Self.condition(section)
        var rule = condition.flatMap { condition in
            scope.map { Configuration.Rule(name: name, scope: $0, condition: condition) }
        }
        let clear = section.value("clear", .price)
        if rule != nil {
            rule?.clear = clear
            rule?.readModifiers(section, channels: channels)
        } else {
            // Reads the other keys too, so that their faults are reported.
            var other = BuiltInRule.marketMissing.rule
            other.readModifiers(section, channels: channels)
        }
        section.finish()
        if let clear, let condition { Self.judge(clear, of: condition, section) }
        guard let rule else { return nil }
        self = rule
    }

    /// The keys that apply to any condition.
    mutating func readModifiers(_ section: Section, channels: ChannelNames) {
        if let holdFor = section.value("for", .duration) { self.holdFor = holdFor }
        if let keepFiringFor = section.value("keep_firing_for", .duration) { self.keepFiringFor = keepFiringFor }
        repeatEvery = section.value("repeat", .duration(atLeast: .seconds(1)))
        repeatOnMove = section.value("repeat_on_move", .percent)
        if let once = section.value("once", .boolean) { self.once = once }
        expires = section.value("expires", .time)
        if let severity = section.value("severity", .word(AlertRule.Severity.self)) { self.severity = severity }
        notify = channels.read(section, "notify")
        note = section.value("note", .text(upTo: 2000))
        if let enabled = section.value("enabled", .boolean) { self.enabled = enabled }
    }

    static func scope(_ section: Section) -> Scope? {
        let market = section.asWritten("market", .marketID)
        if section.holds("market"), section.holds("markets") {
            section.fault(at: "markets", "stands beside market: use one of them")
        }
        if section.text("markets") == "all" {
            section.ignore("markets")
            return .all
        }
        let items = section.items("markets", expected: "a list of ids, or all")
        let markets = items.compactMap { $0.value(.marketID) }
        if let key = market?.text == "all" ? "market" : markets.contains(where: { $0.text == "all" }) ? "markets" : nil
        {
            section.fault(at: key, "all is no market's id; did you mean markets: all?")
            return nil
        }
        if let market { return .markets([market]) }
        if !markets.isEmpty { return .markets(markets) }
        if section.holds("markets") {
            if section.isEmptyList("markets") { section.fault(at: "markets", "is empty; use ids, or all") }
        } else if !section.mentions("market") {
            section.fault("needs market: ID, markets: [ID, …] or markets: all")
        }
        return nil
    }

    private static func condition(_ section: Section) -> AlertRule.Condition? {
        let given = conditions.filter(section.holds)
        let above = section.value("above", .price)
        let below = section.value("below", .price)
        let outside = section.pair("outside", .price)
        let rises = section.value("rises", .percent)
        let falls = section.value("falls", .percent)
        let moves = section.value("moves", .percent)
        let within = section.value("within", .duration(atLeast: .seconds(1)))
        let newHigh = section.value("new_high", .duration(atLeast: .minutes(1)))
        let newLow = section.value("new_low", .duration(atLeast: .minutes(1)))
        let stale = section.value("stale", .duration(atLeast: .seconds(1)))

        guard let only = given.first else {
            section.fault("needs a condition: one of \(conditions.joined(separator: ", "))")
            return nil
        }
        if given.count > 1 {
            let all = given.joined(separator: " and ")
            section.fault(at: given[1], "a rule has one condition: make \(all) a rule each")
            return nil
        }
        if !relative.contains(only), section.holds("within") {
            section.fault(at: "within", "belongs to rises, falls and moves")
        }
        if relative.contains(only), !section.holds("within") {
            section.fault(at: only, "needs within, the time it may take, such as within: 1h")
        }
        if let falls, falls.hundredths >= 100_00 {
            section.fault(at: "falls", "a price cannot fall by \(falls) %: use less than 100%")
        }
        if let outside, outside.0 >= outside.1 {
            section.fault(at: "outside", "the lower bound comes first: [low, high]")
        }
        switch only {
        case "above": return above.map { .above($0) }
        case "below": return below.map { .below($0) }
        case "outside": return outside.map { .outside(low: $0.0, high: $0.1) }
        case "new_high": return newHigh.map { .newHigh($0) }
        case "new_low": return newLow.map { .newLow($0) }
        case "stale": return stale.map { .stale($0) }
        default: break
        }
        guard let within else { return nil }
        if let rises { return .rises(rises, within: within) }
        if let falls { return .falls(falls, within: within) }
        return moves.map { .moves($0, within: within) }
    }

    /// A level on the wrong side would resolve the alert when it fires.
    private static func judge(_ clear: Price, of condition: AlertRule.Condition, _ section: Section) {
        switch condition {
        case .above(let threshold) where clear > threshold:
            section.fault(at: "clear", "\(clear) lies above the threshold \(threshold); it must not")
        case .below(let threshold) where clear < threshold:
            section.fault(at: "clear", "\(clear) lies below the threshold \(threshold); it must not")
        case .outside(let low, let high) where clear < low || clear > high:
            section.fault(at: "clear", "\(clear) lies outside \(low) to \(high); it must not")
        case .above, .below, .outside: break
        case .rises, .falls, .moves, .newHigh, .newLow, .stale, .marketStale, .marketMissing, .feedStale:
            section.fault(at: "clear", "belongs to above, below and outside")
        }
    }
}
