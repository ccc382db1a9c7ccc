import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A node under measurement. */
export interface BenchNode {
  readonly url: string
  /** Seconds spent so far in each phase of block work; null where the node does not say. */
  phases(): Promise<Readonly<Record<string, number>> | null>
  stop(): Promise<void>
}

/** Both nodes close a block every 400 ms and take this much gas in one. */
const GAS_LIMIT = 1_000_000_000

const ANVIL = fileURLToPath(new URL('./peers/node_modules/.bin/anvil', import.meta.url))

/** @throws Error when anvil is not installed under bench/peers. */
export async function startAnvil(chainId: number): Promise<BenchNode> {
  if (!existsSync(ANVIL)) throw new Error('anvil is missing: run `npm ci --prefix bench/peers`')
  const args = ['--port', '0', '--chain-id', String(chainId), '--block-time', '0.4']
  const child = spawn(ANVIL, [...args, '--gas-limit', String(GAS_LIMIT)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<void>((resolve) => child.on('exit', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(output)?.[1]
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`)
    })
    exited.then(() => reject(new Error(`anvil ended:\n${output}`)))
  })
  return {
    url,
    phases: async () => null,
    stop: async () => {
      child.kill()
      await exited
    },
  }
}
