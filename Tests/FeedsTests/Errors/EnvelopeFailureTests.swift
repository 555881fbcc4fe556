import Foundation
import Testing

@testable import Feeds

@Suite("Failures stated in a body")
struct EnvelopeFailureTests {
    @Test(arguments: [
        (#"{"status":{"error_code":429,"error_message":"slow"}}"#, 429, "slow"),
        (#"{"error":{"status":{"timestamp":"t","error_code":10012,"error_message":"range"}}}"#, 10012, "range"),
        (#"{"timestamp":"t","error_code":10011,"status":{"error_message":"host"}}"#, 10011, "host"),
        (#"{"error":"coin not found"}"#, nil, "coin not found"),
        (#"{"status":500,"error":"Internal Server Error"}"#, 500, "Internal Server Error"),
        (#"{"error":["EQuery:Unknown asset pair","x"],"result":null}"#, nil, "EQuery:Unknown asset pair; x"),
        (#"{"code":-1003,"msg":"Too many requests"}"#, -1003, "Too many requests"),
        (#"{"status":{"error_code":"1008","error_message":"limit"},"data":null}"#, 1008, "limit"),
        (" error code: 1015\n", 1015, "error code: 1015"),
    ])
    func failures(_ body: String, _ code: Int?, _ message: String) {
        #expect(EnvelopeFailure(Data(body.utf8)) == EnvelopeFailure(code: code, message: message))
    }

    @Test(arguments: [
        "", "[]", "[1]", "{", "{}", "null", "Throttled", #"{"status":{"usd":1}}"#, #"{"status":{"error_code":0}}"#,
        #"{"error":[]}"#, #"{"error":""}"#, #"{"error":null,"data":[]}"#, #"{"status":"ok","message":"fine"}"#,
        #"{"code":0,"message":"success","data":{}}"#, #"{"code":200,"message":"success"}"#, "error code: soon",
        #"{"error":{"error":{"error":{"error":{}}}}}"#,
    ])
    func noFailures(_ body: String) {
        #expect(EnvelopeFailure(Data(body.utf8)) == nil)
    }
}
