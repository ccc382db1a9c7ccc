import { spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { until } from '../until.ts'

/** Path of a CometBFT to compare with; undefined where none is named. */
export const COMETBFT: string | undefined = process.env.LOCKSTEP_COMETBFT || undefined

/** Why tests that need one are skipped, behind their names; empty where they are not. */
export const WITHOUT_COMETBFT: string =
  COMETBFT === undefined ? ': LOCKSTEP_COMETBFT names no cometbft' : ''

/** A CometBFT of one validator with its own application. */
export interface CometBft {
  readonly url: string
  stop(): Promise<void>
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/** Starts the CometBFT at `program` with its key-value store over a new home, and waits for two blocks. */
export async function startCometBft(program: string, home: string): Promise<CometBft> {
  const init = spawnSync(program, ['init', '--home', home], { encoding: 'utf8' })
  if (init.status !== 0) throw new Error(`cometbft init: ${init.stderr}`)
  const port = await freePort()
  const child = spawn(
    program,
    [
      ...['start', '--home', home, '--proxy_app', 'kvstore'],
      ...['--rpc.laddr', `tcp://127.0.0.1:${port}`, '--p2p.laddr', 'tcp://127.0.0.1:0'],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const exited = new Promise<void>((resolve) => child.on('exit', () => resolve()))
  const url = `http://127.0.0.1:${port}`
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`cometbft has ended:\n${output}`)
    const response = await fetch(`${url}/block?height=2`).catch(() => undefined)
    return response?.ok === true
  })
  return {
    url,
    stop: () => {
      child.kill()
      return exited
    },
  }
}
