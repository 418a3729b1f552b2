import asyncio
import logging
import os
import tempfile
import warnings

logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(levelname)s | %(message)s")
log = logging.getLogger("cache")
CACHE = os.path.join(tempfile.mkdtemp(), "cache")


def page(path):
    if path == "/health":
        return (200, "ok") if os.path.isdir(CACHE) else (503, "cache is not there")
    return (200, "cache service") if path == "/" else (404, "not found")


async def serve(reader, writer):
    request = (await reader.readline()).decode("latin-1").split()
    while (await reader.readline()).strip():
        pass
    status, text = page(request[1]) if len(request) > 1 else (400, "bad request")
    log.info("%s -> %d", " ".join(request[:2]), status)
    writer.write(f"HTTP/1.1 {status} X\r\nContent-Length: {len(text)}\r\nConnection: close\r\n\r\n{text}".encode())
    await writer.drain()
    writer.close()


async def main():
    warnings.warn("CACHE_V1 is deprecated, use CACHE", DeprecationWarning, stacklevel=1)
    await asyncio.sleep(1.5)
    os.makedirs(CACHE, exist_ok=True)
    server = await asyncio.start_server(serve, "127.0.0.1", 18114)
    log.info("serving on port 18114")
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
