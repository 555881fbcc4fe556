import Markets
import NIOCore
import NIOHTTP1
import NIOPosix
