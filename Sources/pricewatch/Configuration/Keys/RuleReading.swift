import Engine
import History
import Markets

extension Configuration {
    /// Reads `alerts`. A rule with the name of a built-in one overrides the keys that it names.
    func readRules(_ root: Section, channels: [String]) -> [AlertRule] {
        var rules: [AlertRule] = []
        var names: Set<String> = []
        defer { root.context.subject = "" }
        for item in root.items("alerts") ?? [] {
            root.context.subject = ""
            let rule = item.section { section -> AlertRule? in
                let name = section.item("name")?.read(.name(upTo: 200))
                if !section.mentions("name") { section.fault("needs a name") }
                if let name { root.context.subject = " (rule \(SafeText.printable(name, atMost: 40)))" }
                if let name, !names.insert(name).inserted {
                    section.fault(at: "name", "another rule is called \(name.quoted), too")
                }
                guard alerts.builtIn, var rule = AlertRule.builtIn.first(where: { $0.name == name }) else {
                    return AlertRule(section, name: name, kept: history.retention, channels: channels)
                }
                rule.override(section, channels: channels)
                return rule
            }
            rules += [rule].compactMap { $0 }
        }
        return rules
    }
}

extension AlertRule {
    private static let conditions = [
        "above", "below", "outside", "rises", "falls", "moves", "new_high", "new_low", "stale",
    ]

    fileprivate init?(_ section: Section, name: String?, kept: Retention, channels: [String]) {
        let scope = Self.scope(section)
        let condition = Self.condition(section, kept: kept)
        // Reads the other keys of a faulty rule, too, so that their faults are reported.
        self.init(name: name ?? "", scope: scope ?? .all, condition: condition ?? .stale(.zero))
        section.read("clear", into: &clear, .price)
        readModifiers(section, channels: channels)
        if condition != nil { judgeClear(section) }
        if name == nil || scope == nil || condition == nil { return nil }
    }

    /// Changes the keys of a built-in rule that the section names.
    fileprivate mutating func override(_ section: Section, channels: [String]) {
        let isAboutFeed = if case .feed = scope { true } else { false }
        let isMissing = if case .marketMissing = condition { true } else { false }
        let foreign = Self.conditions.filter { $0 != "stale" || isMissing } + ["within", "clear"]
        for key in foreign + (isAboutFeed ? ["market", "markets"] : []) where section.holds(key) {
            section.fault(at: key, "does not belong to \(name), which is built in; give the rule another name")
        }
        if !isAboutFeed, section.holds("market") || section.holds("markets") { scope = Self.scope(section) ?? scope }
        // Both `stale` and `for` mean how long the condition must hold before the alert fires.
        let stale = section.value("stale", .duration(atLeast: .seconds(1)))
        readModifiers(section, channels: channels)
        guard !isMissing, let length = stale ?? (section.holds("for") ? holdFor : nil) else { return }
        if section.holds("for"), section.holds("stale") {
            section.fault(at: "for", "says the same as stale: use one of them")
        }
        condition = isAboutFeed ? .feedStale(length) : .marketStale(length)
        holdFor = .zero
    }

    /// The keys that apply to any condition.
    private mutating func readModifiers(_ section: Section, channels: [String]) {
        section.read("for", into: &holdFor, .duration)
        section.read("keep_firing_for", into: &keepFiringFor, .duration)
        section.read("repeat", into: &repeatEvery, .duration(atLeast: .seconds(1)))
        section.read("repeat_on_move", into: &repeatOnMove, .percent)
        section.read("once", into: &once, .boolean)
        section.read("expires", into: &expires, .time(in: section.context.zone))
        section.read("severity", into: &severity, .word)
        notify = section.list("notify", .word(of: channels))
        section.read("note", into: &note, .text(upTo: 2000))
        section.read("enabled", into: &enabled, .boolean)
    }

    private static func scope(_ section: Section) -> Scope? {
        if section.holds("market"), section.holds("markets") {
            section.fault(at: "markets", "stands beside market: use one of them")
        }
        let key = section.mentions("market") ? "market" : "markets"
        guard let item = section.item(key) else {
            if !section.mentions(key) { section.fault("needs market: ID, markets: [ID, …] or markets: all") }
            return nil
        }
        if key == "markets", item.value.text == "all" { return .all }
        let items = key == "market" ? [item] : item.items(expected: "a list of ids, or all", hint: Hint.list)
        guard let markets = items?.compactMap({ $0.read(.marketID) }) else { return nil }
        if items?.isEmpty == true { section.fault(at: key, "is empty; use ids, or all") }
        if markets.contains(where: { $0.text == "all" }) {
            section.fault(at: key, "all is no market's id; did you mean markets: all?")
        }
        return markets.isEmpty ? nil : .markets(markets)
    }

    private static func condition(_ section: Section, kept: Retention) -> Condition? {
        let within = section.value("within", .duration(atLeast: .seconds(1)))
        let window = Scalar.duration(atLeast: .minutes(1))
        func move(_ key: String, _ made: (Percent, Duration) -> Condition) -> Condition? {
            let percent = section.value(key, .percent)
            if section.holds(key), !section.holds("within") {
                section.fault(at: key, "needs within, the time it may take, such as within: 1h")
            }
            guard let percent, let within else { return nil }
            return made(percent, within)
        }
        let read: [String: Condition?] = [
            "above": section.value("above", .price).map { .above($0) },
            "below": section.value("below", .price).map { .below($0) },
            "outside": outside(section),
            "rises": move("rises") { .rises($0, within: $1) },
            "falls": move("falls") { .falls($0, within: $1) },
            "moves": move("moves") { .moves($0, within: $1) },
            "new_high": section.value("new_high", window).map { .newHigh($0) },
            "new_low": section.value("new_low", window).map { .newLow($0) },
            "stale": section.value("stale", .duration(atLeast: .seconds(1))).map { .stale($0) },
        ]
        let given = conditions.filter(section.holds)
        guard let key = given.first else {
            section.fault("needs a condition: one of \(conditions.joined(separator: ", "))")
            return nil
        }
        guard given.count == 1 else {
            let all = given.joined(separator: " and ")
            section.fault(at: given[1], "a rule has one condition: make \(all) a rule each")
            return nil
        }
        let isMove = ["rises", "falls", "moves"].contains(key)
        if section.holds("within"), !isMove { section.fault(at: "within", "belongs to rises, falls and moves") }
        guard let condition = read[key] ?? nil else { return nil }
        if case .falls(let percent, _) = condition, percent.hundredths >= 100_00 {
            section.fault(at: key, "a price cannot fall by \(percent) %: use less than 100%")
        }
        if let window = condition.window, [kept.samples, kept.candles].allSatisfy({ $0.map { window > $0 } ?? false }) {
            section.fault(
                at: isMove ? "within" : key,
                "the window of \(window.unitsText) is longer than what is kept; see history.keep_samples")
        }
        return condition
    }

    private static func outside(_ section: Section) -> Condition? {
        guard let items = section.items("outside", expected: "a list of two") else { return nil }
        guard items.count == 2 else {
            let hint = items.count == 4 ? ": decimals take a point, such as [0.99, 1.01]" : ""
            section.fault(at: "outside", "expected a list of two, found \(items.count)\(hint)")
            return nil
        }
        guard let low = items[0].read(.price), let high = items[1].read(.price) else { return nil }
        if low >= high { section.fault(at: "outside", "the lower bound comes first: [low, high]") }
        return .outside(low: low, high: high)
    }

    /// Reports a level on the wrong side, which would resolve the alert when it fires.
    private func judgeClear(_ section: Section) {
        guard let clear else { return }
        switch condition {
        case .above(let threshold) where clear > threshold:
            section.fault(at: "clear", "\(clear) lies above the threshold \(threshold); it must not")
        case .below(let threshold) where clear < threshold:
            section.fault(at: "clear", "\(clear) lies below the threshold \(threshold); it must not")
        case .outside(let low, let high) where clear < low || clear > high:
            section.fault(at: "clear", "\(clear) lies outside \(low) to \(high); it must not")
        case .above, .below, .outside: break
        default: section.fault(at: "clear", "belongs to above, below and outside")
        }
    }
}
