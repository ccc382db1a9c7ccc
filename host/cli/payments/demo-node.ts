import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, watch } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import type { Home } from '../../node/home/home.ts'
import { type ReadyFacts, readReadyFile } from '../client/ready-file.ts'

/** A dev node with a payment gate. */
export interface DemoNode {
  readonly rpc: string
  /** URL of the payment gate. */
  readonly gate: string
  readonly chainId: number
  /** Stops it, if it was started for the demo. */
  stop(): Promise<void>
}

const REMEDY = 'start it with `lockstep start --dev --payments.enable`, or omit --home'

function sellerOf({ rpc, payments, chainId }: ReadyFacts): Omit<DemoNode, 'stop'> {
  if (rpc === null || payments === null) {
    throw new LockstepError('NODE_UNREACHABLE', 'the node of the home has no payment gate', {
      hint: REMEDY,
    })
  }
  return { rpc, gate: payments, chainId }
}

/** Returns the running node of a home. @throws NODE_UNREACHABLE */
export function runningDemo(home: Home): DemoNode {
  const facts = readReadyFile(home.running)
  if (facts === undefined) {
    throw new LockstepError('NODE_UNREACHABLE', `no node runs in ${home.root}`, { hint: REMEDY })
  }
  return { ...sellerOf(facts), stop: async () => {} }
}

/**
 * Starts a dev node on free ports, in a temporary folder that `stop` removes.
 * @throws NODE_UNREACHABLE with its output, if it ends before it is ready
 */
export async function startDemo(): Promise<DemoNode> {
  const root = mkdtempSync(join(tmpdir(), 'lockstep-payments-'))
  const ready = join(root, 'ready.json')
  const settings = {
    'evm.http-port': '0',
    'rpc.laddr': 'tcp://127.0.0.1:0',
    'payments.enable': 'true',
    'payments.address': '127.0.0.1:0',
  }
  const flags = Object.entries(settings).flatMap(([flag, value]) => [`--${flag}`, value])
  const [, script = ''] = process.argv
  const args = ['start', '--dev', '--home', root, '--ready-file', ready, ...flags]
  const child = spawn(process.execPath, [...process.execArgv, script, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (text: Buffer) => {
    output += text
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const stop = async () => {
    child.kill()
    await ended
    rmSync(root, { recursive: true, force: true })
  }
  try {
    return { ...sellerOf(await untilReady(root, ready, ended, () => output)), stop }
  } catch (thrown) {
    await stop()
    throw thrown
  }
}

async function untilReady(
  root: string,
  path: string,
  ended: Promise<void>,
  output: () => string,
): Promise<ReadyFacts> {
  const watcher = watch(root)
  try {
    return await new Promise((resolve, reject) => {
      const look = () => {
        const facts = readReadyFile(path)
        if (facts !== undefined) resolve(facts)
      }
      watcher.on('change', look)
      look()
      void ended.then(() => {
        const hint = output().trim().split('\n').slice(-3).join('\n')
        reject(
          new LockstepError('NODE_UNREACHABLE', 'the node ended before it was ready', { hint }),
        )
      })
    })
  } finally {
    watcher.close()
  }
}
