import ArgumentParser

/// What every command that looks at one installation takes.
struct InstallationOptions: ParsableArguments {
    @Option(name: .customLong("config"), help: "The configuration file; see README, Configuration.")
    var configurationPath: String?

    /// For the daemon and `check`.
    func read() throws -> ConfigurationReading {
        do {
            return try ConfigurationReading.read(option: configurationPath)
        } catch {
            throw Complaint(error.description, Exit.configuration)
        }
    }

    /// For commands that ask: a configuration closed to this user leaves them the default paths.
    func readForQuestions() throws -> ConfigurationReading {
        try noting { () throws(ConfigurationError) in
            try ConfigurationReading.readForQuestions(option: configurationPath)
        }
    }

    /// For `status`, which also answers where the configuration is faulty.
    func readForStatus() throws -> ConfigurationReading {
        try noting { () throws(ConfigurationError) in
            try ConfigurationReading.readForStatus(option: configurationPath)
        }
    }

    /// For commands that need no more of the configuration than where the database is.
    func readForRecords() throws -> ConfigurationReading {
        try noting { () throws(ConfigurationError) in
            try ConfigurationReading.readForRecords(option: configurationPath)
        }
    }

    private func noting(_ read: () throws(ConfigurationError) -> ConfigurationReading) throws -> ConfigurationReading {
        do {
            let reading = try read()
            if let note = reading.note { StandardError.line("pricewatch: \(note)") }
            return reading
        } catch {
            throw Complaint(error.description, Exit.configuration)
        }
    }
}
