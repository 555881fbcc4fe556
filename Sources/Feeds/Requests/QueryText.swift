import Foundation

/// Query items as they stand in a URL or in a form.
enum QueryText {
    /// `URLComponents` leaves `+` bare, which servers read as a blank.
    static func encoded(_ items: [URLQueryItem]) -> String {
        var components = URLComponents()
        components.queryItems = items
        return (components.percentEncodedQuery ?? "").replacingOccurrences(of: "+", with: "%2B")
    }
}
