import Foundation

/// The owner's own receiver: a POST of the events as JSON, which `etc/webhook.schema.json` describes.
struct Webhook: HTTPService {
    static let kind = "webhook"
    let url: String

    func body(for message: Message) -> [UInt8] { MessageJSON.bytes(message) }

    func diagnose(status: Int, _ body: Data) -> Diagnosis {
        switch status {
        case 401, 403: Diagnosis(cure: "check what the URL must hold to be let in")
        case 404, 410: Diagnosis(cure: "check the URL")
        case 405: Diagnosis(cure: "the URL must take POST")
        default: Diagnosis()
        }
    }
}
