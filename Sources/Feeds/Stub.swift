import AsyncHTTPClient
import Markets
import NIOCore
import NIOHTTP1
