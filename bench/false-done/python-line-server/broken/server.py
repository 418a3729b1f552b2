import asyncio
import logging
import time

logging.basicConfig(level=logging.INFO, format="%(levelname)-8s %(message)s")


async def serve(reader, writer):
    try:
        while line := await reader.readline():
            writer.write(line.upper)
            await writer.drain()
    finally:
        writer.close()


async def main():
    time.sleep(1.2)  # as slow as the real thing, which loads a dictionary
    server = await asyncio.start_server(serve, "127.0.0.1", 18112)
    logging.warning("no dictionary found, upper() of the locale is used")
    logging.info("listening")
    async with server:
        await server.serve_forever()


asyncio.run(main())
