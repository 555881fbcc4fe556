import History

/// Tells the log when recording ends and when it resumes, once each, and what became of a damaged database.
struct RecordingNews {
    private var fault: HistoryError?

    mutating func tell(_ history: HistoryWriter, fault now: HistoryError?, to log: EventLog) {
        for replaced in history.takeReplacements() {
            log.write(.error, "history.replaced") { line in
                line.add("message", "the database was damaged and a new one begun; restore the old one or remove it")
                line.add("set_aside", replaced.path)
                line.add("cause", replaced.cause)
            }
        }
        if let now, fault == nil {
            log.write(.error, "history.not_recording") { $0.add("message", "\(now)") }
        } else if now == nil, fault != nil {
            log.write(.info, "history.recording")
        }
        fault = now
    }
}
