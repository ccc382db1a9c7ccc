"""A published MCP client. It reads calls from stdin, one line of JSON each, and writes the result of each."""

import json
import sys

import anyio
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def act(session):
    await session.initialize()
    tools = await session.list_tools()
    print(json.dumps([tool.name for tool in tools.tools]), flush=True)
    while line := await anyio.to_thread.run_sync(sys.stdin.readline):
        call = json.loads(line)
        try:
            result = await session.call_tool(call["name"], call["arguments"])
            said = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        except Exception as error:  # noqa: BLE001 - whatever it is, the test looks at it
            said = {"thrown": str(error)}
        print(json.dumps(said), flush=True)


async def main():
    where = json.loads(sys.argv[1])
    if "url" in where:
        headers = {"Authorization": f"Bearer {where['token']}"}
        async with create_mcp_http_client(headers=headers) as http:
            async with streamable_http_client(where["url"], http_client=http) as streams:
                async with ClientSession(*streams) as session:
                    await act(session)
        return
    parameters = StdioServerParameters(command=where["command"], args=where["args"])
    async with stdio_client(parameters) as streams:
        async with ClientSession(*streams) as session:
            await act(session)


anyio.run(main)
