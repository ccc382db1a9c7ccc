import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Hex } from '../host/base/hex.ts'
import type { Peer } from './evm-peer.ts'

const FOLDER = fileURLToPath(new URL('peers/revm/', import.meta.url))
const TARGET = fileURLToPath(new URL('../.cache/revm-peer/', import.meta.url))
/** A first build compiles revm and its dependencies. */
const BUILD_MS = 900_000

interface Timed {
  readonly ms: number
  readonly out: Hex
}

/**
 * Builds and starts revm in a process of its own, which times its calls itself. Returns the reason if it cannot be
 * built: without cargo, or without its crates.
 */
export async function startRevm(): Promise<Peer | string> {
  try {
    const args = ['build', '--release', '--target-dir', TARGET]
    await promisify(execFile)('cargo', args, { cwd: FOLDER, timeout: BUILD_MS })
  } catch (thrown) {
    const { code, stderr } = thrown as { code?: unknown; stderr?: string }
    if (code === 'ENOENT') return 'there is no cargo on the PATH'
    return `cargo does not build it: ${stderr?.trim().split('\n').at(-1) ?? String(thrown)}`
  }
  const child = spawn(join(TARGET, 'release', 'revm-peer'), {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const send = (request: object) => child.stdin.write(`${JSON.stringify(request)}\n`)
  async function timeCall(least: number): Promise<Timed> {
    send({ call: least })
    const { value, done } = await lines.next()
    if (done) throw new Error('revm-peer has ended')
    return JSON.parse(value) as Timed
  }
  return {
    name: 'revm',
    load: async ({ runtime, storage, calldata }) => {
      send({ load: { runtime, storage, calldata } })
    },
    call: async () => (await timeCall(0)).out,
    timeCall: (_, least) => timeCall(least),
    stop: async () => {
      child.stdin.end()
    },
  }
}
