import NIOCore
import NIOHTTP1
import NIOHTTPCompression

/// One client's connection: reads a request, replies, and closes.
final class ServedConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        case waiting
        case replying
        /// The client is given a moment to close: unread bytes of it would reset the connection, and the reply with it.
        case closing
    }

    private let limits: HTTPServer.Limits
    private let connections: AdmittedConnections
    private let handler: HTTPServer.Handler
    private var state = State.waiting
    private var deadline: Scheduled<Void>?

    private static let lingering = TimeAmount.seconds(1)

    init(_ limits: HTTPServer.Limits, _ connections: AdmittedConnections, _ handler: @escaping HTTPServer.Handler) {
        self.limits = limits
        self.connections = connections
        self.handler = handler
    }

    func handlerAdded(context: ChannelHandlerContext) { close(context, in: TimeAmount(limits.headTime)) }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data), case .waiting = state else { return }
        begin(context)
        let (handler, request) = (handler, ServedRequest(head))
        context.eventLoop.makeFutureWithTask { await handler(request) }.assumeIsolated().whenSuccess { reply in
            self.write(reply, context)
        }
    }

    /// Bad HTTP, or too much of it.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard case .waiting = state, error is HTTPParserError else { return context.close(promise: nil) }
        begin(context)
        let isTooLarge = error as? HTTPParserError == .headerOverflow
        // The compressor expects a request before a reply.
        let pipeline = context.pipeline.syncOperations
        guard let compressor = try? pipeline.context(handlerType: HTTPResponseCompressor.self) else { return }
        pipeline.removeHandler(context: compressor).assumeIsolated().whenSuccess {
            self.write(ServedReply(isTooLarge ? 431 : 400), context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event as? ChannelEvent == .inputClosed else { return context.fireUserInboundEventTriggered(event) }
        // A client that has sent its request may close its own side.
        if case .replying = state { return }
        context.close(promise: nil)
    }

    private func begin(_ context: ChannelHandlerContext) {
        state = .replying
        connections.isAnswering(context.channel)
        context.triggerUserOutboundEvent(RequestBound.IsComplete(), promise: nil)
        close(context, in: TimeAmount(limits.replyTime))
    }

    private func write(_ reply: ServedReply, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        context.write(wrapOutboundOut(.head(reply.head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: reply.body)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
            self.state = .closing
            self.close(context, in: Self.lingering)
            context.close(mode: .output, promise: nil)
        }
    }

    private func close(_ context: ChannelHandlerContext, in time: TimeAmount) {
        deadline?.cancel()
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
    }
}

/// Lets so many bytes of a request through; what follows its head is dropped.
final class RequestBound: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    struct IsComplete {}

    private var bytesLeft: Int
    private var isComplete = false

    init(bytes: Int) { bytesLeft = bytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isComplete { return }
        bytesLeft -= unwrapInboundIn(data).readableBytes
        if bytesLeft >= 0 { return context.fireChannelRead(data) }
        context.fireErrorCaught(HTTPParserError.headerOverflow)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is IsComplete else { return context.triggerUserOutboundEvent(event, promise: promise) }
        isComplete = true
        promise?.succeed()
    }
}

/// Drops the body of a reply to HEAD after its length is known, so that its head is that of a GET.
final class BodyOfHead: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart

    private var isHead = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) { isHead = head.method == .HEAD }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if isHead, case .body = unwrapOutboundIn(data) {
            promise?.succeed()
        } else {
            context.write(data, promise: promise)
        }
    }
}
