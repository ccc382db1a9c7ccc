import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { absentPeers, peer } from '../../support/payments/peers.ts'

/** A result of the client, or what it threw instead. */
export interface ToolResult {
  readonly isError?: boolean
  readonly content?: readonly { readonly type: string; readonly text: string }[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly thrown?: string
}

/** How to reach a server: a command that uses stdin and stdout, or a URL with its token. */
export type McpPlace =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly url: string; readonly token: string }

export interface ToolClient {
  /** Names of the tools. Clients that validate results read their schemas at that time. */
  readonly tools: readonly string[]
  call(name: string, args: object): Promise<ToolResult>
  close(): Promise<void>
}

export interface PublishedClient {
  readonly name: string
  /** Suffix of a test's name if it is not installed. */
  readonly absent: string
  open(place: McpPlace): Promise<ToolClient>
}

interface ClientModules {
  readonly client: string
  readonly stdio: string
  readonly http: string
}

async function openTyped(modules: ClientModules, place: McpPlace): Promise<ToolClient> {
  const { Client } = peer(modules.client)
  const client = new Client({ name: 'test', version: '1.0.0' })
  if ('url' in place) {
    const { StreamableHTTPClientTransport } = peer(modules.http)
    const headers = { authorization: `Bearer ${place.token}` }
    const transport = new StreamableHTTPClientTransport(new URL(place.url), {
      requestInit: { headers },
    })
    await client.connect(transport)
  } else {
    const { StdioClientTransport } = peer(modules.stdio)
    await client.connect(new StdioClientTransport({ ...place, stderr: 'ignore' }))
  }
  const { tools } = await client.listTools()
  return {
    tools: tools.map(({ name }: { readonly name: string }) => name),
    call: (name, args) =>
      client
        .callTool({ name, arguments: args })
        .catch((error: Error) => ({ thrown: error.message })),
    close: () => client.close(),
  }
}

const PYTHON = process.env.LOCKSTEP_PYTHON_CLIENTS ?? 'python3'
const SCRIPT = fileURLToPath(new URL('mcp_client.py', import.meta.url))

async function openPython(place: McpPlace): Promise<ToolClient> {
  const child = spawn(PYTHON, [SCRIPT, JSON.stringify(place)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (text) => {
    stderr += text
  })
  const closed = once(child, 'close')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error(`the Python client ended:\n${stderr}`)
    return JSON.parse(value)
  }
  return {
    tools: await next(),
    call: (name, args) => {
      child.stdin.write(`${JSON.stringify({ name, arguments: args })}\n`)
      return next()
    },
    close: async () => {
      child.stdin.end()
      await closed
    },
  }
}

const hasPython = () =>
  spawnSync(PYTHON, ['-c', 'import importlib.metadata as m; assert m.version("mcp")[0] == "2"'])
    .status === 0

/** Published clients of the Model Context Protocol. */
export const MCP_CLIENTS: readonly PublishedClient[] = [
  {
    name: '@modelcontextprotocol/sdk 1.32.2',
    absent: absentPeers('@modelcontextprotocol/sdk'),
    open: (place) =>
      openTyped(
        {
          client: '@modelcontextprotocol/sdk/client/index.js',
          stdio: '@modelcontextprotocol/sdk/client/stdio.js',
          http: '@modelcontextprotocol/sdk/client/streamableHttp.js',
        },
        place,
      ),
  },
  {
    name: '@modelcontextprotocol/client 2.4.0',
    absent: absentPeers('@modelcontextprotocol/client'),
    open: (place) =>
      openTyped(
        {
          client: '@modelcontextprotocol/client',
          stdio: '@modelcontextprotocol/client/stdio',
          http: '@modelcontextprotocol/client',
        },
        place,
      ),
  },
  {
    name: 'mcp 2.3.0 of Python',
    absent: hasPython()
      ? ''
      : ` (${PYTHON} has no mcp 2: LOCKSTEP_PYTHON_CLIENTS, bench/peers/python-clients.txt)`,
    open: openPython,
  },
]
