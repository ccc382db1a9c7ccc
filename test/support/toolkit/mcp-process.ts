import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { until } from '../until.ts'

export const MAIN: string = fileURLToPath(new URL('../../../host/cli/main.ts', import.meta.url))

/** `lockstep mcp --http` in a process of its own. */
export interface McpProcess {
  readonly url: string
  stderr(): string
  stop(): Promise<void>
}

export async function startMcpHttp(args: readonly string[]): Promise<McpProcess> {
  const child: ChildProcess = spawn(
    process.execPath,
    [MAIN, 'mcp', ...args, '--http', '127.0.0.1:0'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let stderr = ''
  child.stderr?.on('data', (text) => {
    stderr += text
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let url = ''
  await until(() => {
    if (child.exitCode !== null) throw new Error(`mcp ended with ${child.exitCode}:\n${stderr}`)
    url = /serving (\S+)/.exec(stderr)?.[1] ?? ''
    return url !== ''
  })
  return {
    url,
    stderr: () => stderr,
    stop: () => {
      child.kill()
      return ended
    },
  }
}
