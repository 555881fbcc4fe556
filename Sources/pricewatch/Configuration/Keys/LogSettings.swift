extension Configuration {
    struct Log: Hashable, Sendable {
        /// `file`: absolute; nil: standard error alone. Default: `pricewatch.log` in the log folder.
        var file: String?
        /// `level`: the least that is written; alerts and the service's start and stop are at every level.
        var level: Level = .info
        /// `format`: of the file's lines.
        var format: Format = .text

        enum Level: String, Hashable, Sendable, CaseIterable {
            case debug, info, warning, error
        }

        enum Format: String, Hashable, Sendable, CaseIterable {
            case text, json
        }
    }
}

extension Configuration.Log {
    init(_ section: Section, defaults: Self) {
        self = defaults
        file = section.optional("file", .path, default: file)
        level = section.value("level", .word(Level.self)) ?? level
        format = section.value("format", .word(Format.self)) ?? format
        section.finish()
    }
}
