import Logging

/// The service's log: named events with ordered fields.
struct EventLog: Sendable {
    /// Under this metadata key the ordered fields travel through swift-log, whose metadata has no order.
    static let fieldsKey = "fields"

    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    /// For code that has nowhere to log to.
    static let silent = EventLog(Logger(label: "pricewatch", factory: { _ in SwiftLogNoOpLogHandler() }))

    func write(_ level: Logger.Level, _ event: String, _ fill: (inout LogFields) -> Void = { _ in }) {
        // Alerts and the service's own start and stop are written whatever the level.
        let always = event.hasPrefix("alert.") || event.hasPrefix("service.")
        guard always || level >= logger.logLevel else { return }
        var fields = LogFields()
        fill(&fields)
        logger.handler.log(
            event: LogEvent(
                level: level, message: "\(event)", metadata: [Self.fieldsKey: .stringConvertible(fields)],
                source: "pricewatch", file: #fileID, function: #function, line: #line))
    }
}
