import { MAIN } from '../node/main-file.ts'
import { startProgram } from '../program.ts'

/** `lockstep mcp --http` in its own process. */
export interface McpProcess {
  readonly url: string
  output(): string
  stop(): Promise<unknown>
}

export async function startMcpHttp(args: readonly string[]): Promise<McpProcess> {
  const command = [process.execPath, MAIN, 'mcp', ...args, '--http', '127.0.0.1:0']
  const { says, output, stop } = startProgram(command)
  const url = await says((text) => /serving (\S+)/.exec(text)?.[1])
  return { url, output, stop }
}
