import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rpcWorkerCount } from '../host/node/serve/wanted-threads.ts'
import { freePort } from '../test/support/http-server.ts'
import {
  type Daemon,
  makeHome,
  removeHome,
  runCommand,
  startDaemon,
} from '../test/support/node/daemon.ts'

/** A node under measurement. */
export interface BenchNode {
  readonly url: string
  readonly pid: number
  /** Returns the seconds spent so far in each phase of block work, or null if the node does not report them. */
  phases(): Promise<Readonly<Record<string, number>> | null>
  stop(): Promise<void>
}

/** Default number of RPC workers. */
export const SERVING_THREADS = rpcWorkerCount({ servingThreads: -1 })

/** Gas limit of a block on both nodes, which close one every 400 ms. */
const GAS_LIMIT = 1_000_000_000

/** Milliseconds between two checks whether a node responds. */
const LOOK_MS = 20

const ANVIL = fileURLToPath(new URL('./peers/node_modules/.bin/anvil', import.meta.url))

/**
 * Starts anvil without its log, which has a line per request that its parent would have to read meanwhile.
 * @throws Error if anvil is not installed under bench/peers
 */
export async function startAnvil(
  chainId: number,
  options: readonly string[] = [],
): Promise<BenchNode> {
  if (!existsSync(ANVIL))
    throw new Error('anvil is missing: run `npm install --no-save --prefix bench/peers`')
  const port = await freePort()
  const args = ['--quiet', '--port', String(port), '--chain-id', String(chainId)]
  const child = spawn(
    ANVIL,
    [...args, '--block-time', '0.4', '--gas-limit', String(GAS_LIMIT), ...options],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const exited = new Promise<void>((resolve) => child.on('exit', () => resolve()))
  const url = `http://127.0.0.1:${port}`
  await Promise.race([
    untilAnswered(url),
    exited.then(() => {
      throw new Error('anvil ended before it answered')
    }),
  ])
  return {
    url,
    pid: child.pid as number,
    phases: async () => null,
    stop: async () => {
      child.kill()
      await exited
    },
  }
}

async function untilAnswered(url: string): Promise<void> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
  const headers = { 'content-type': 'application/json' }
  for (;;) {
    try {
      if ((await fetch(url, { method: 'POST', headers, body })).ok) return
    } catch {
      // It does not listen yet.
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

/** Returns the sums of the block phase histogram, in seconds by phase. */
async function readPhases(url: string): Promise<Record<string, number>> {
  const text = await (await fetch(url)).text()
  const phases: Record<string, number> = {}
  const sums = /^lockstep_block_phase_seconds_sum\{phase="(\w+)"\} (\S+)$/gm
  for (const [, phase, seconds] of text.matchAll(sums)) phases[phase as string] = Number(seconds)
  return phases
}

/** A node of this project, with a home that is removed with it. */
export interface LockstepNode extends BenchNode {
  /**
   * Replaces the node by one without --dev that continues the chain by itself, without the address index, which is
   * enabled only in homes of development chains.
   */
  goOn(options: readonly string[]): Promise<BenchNode>
}

/** Starts a dev chain in a fresh home whose blocks and mempool have room for the whole load. */
export async function startLockstep(
  chainId: number,
  options: readonly string[] = [],
): Promise<LockstepNode> {
  const home = makeHome()
  const init = await runCommand(['init', 'bench', '--chain-id', 'dev', '--home', home])
  if (init.code !== 0) throw new Error(init.stderr)
  const path = join(home, 'config', 'genesis.json')
  const genesis = JSON.parse(readFileSync(path, 'utf8'))
  genesis.consensus_params.block.max_gas = String(GAS_LIMIT)
  genesis.app_state.evm.max_gas = String(GAS_LIMIT)
  writeFileSync(path, JSON.stringify(genesis))
  const dev = await openDaemon(home, true, ['--chain-id', String(chainId), ...options])
  return {
    ...benchNode(home, dev),
    goOn: async (further) => {
      await dev.stop()
      const asValidator = ['--evm.address-index', 'false', ...further]
      return benchNode(home, await openDaemon(home, false, asValidator))
    },
  }
}

function openDaemon(home: string, dev: boolean, options: readonly string[]): Promise<Daemon> {
  return startDaemon({
    home,
    dev,
    arguments: [
      ...['--log-level', 'warn', '--mempool.size', '1000000'],
      ...['--instrumentation.prometheus', 'true'],
      ...['--instrumentation.prometheus-listen-addr', '127.0.0.1:0'],
      ...options,
    ],
  })
}

function benchNode(home: string, daemon: Daemon): BenchNode {
  return {
    url: daemon.ready.rpc,
    pid: daemon.ready.pid,
    // The node is ready before this process has read the last line of its output
    phases: () => readPhases(/Metrics +(\S+)/.exec(daemon.output())?.[1] as string),
    stop: async () => {
      await daemon.stop()
      removeHome(home)
    },
  }
}
