import { constants } from 'node:os'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  type Daemon,
  initializeValidator,
  makeHome,
  removeHome,
  startDaemon,
} from '../support/node/daemon.ts'
import { postText, RawSocket } from '../support/node/raw-socket.ts'
import { bySet } from '../support/run/by-set.ts'

// A node must stop while its RPC workers run endless requests. Within the test, only the grace period of the stop
// ends these calls.

/** Each takes a core for the whole grace period. */
const THREADS = bySet(1, 2)
/** Enough that each worker has some. */
const CLIENTS = 16
const WITHOUT_LIMITS = {
  'simulation-gas-limit': Number.MAX_SAFE_INTEGER,
  'simulation-evm-timeout': '24h',
  'write-timeout': '24h',
  'serving-threads': THREADS,
}

const AT = '0x00000000000000000000000000000000000c0de0'
/** Endless loops: an empty one, hashes over 64 KiB, and recursive calls. */
const LOOPS = [
  '0x5b600056',
  '0x5b620100006000205060 0056'.replace(' ', ''),
  '0x5b6000600060006000600030 5af150600056'.replace(' ', ''),
]

const home = makeHome()

beforeAll(() => initializeValidator(home))

afterAll(() => removeHome(home))

async function start(): Promise<Daemon> {
  const flags = Object.entries(WITHOUT_LIMITS).map(([key, value]) => `--evm.${key}=${value}`)
  return startDaemon({ home, dev: false, arguments: flags })
}

const request = (method: string, params: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

/** Sends endless requests over HTTP, and resolves after other requests had responses meanwhile. */
async function askForever({ ready }: Daemon): Promise<void> {
  const port = Number(new URL(ready.rpc).port)
  const connect = () => Promise.all(Array.from({ length: CLIENTS }, () => RawSocket.connect(port)))
  const [asking, others] = [await connect(), await connect()]
  onTestFinished(() => {
    for (const socket of [...asking, ...others]) socket.destroy()
  })
  for (const [i, socket] of asking.entries()) {
    const method = i % 2 === 0 ? 'eth_call' : 'eth_estimateGas'
    const code = LOOPS[i % LOOPS.length]
    socket.send(postText(request(method, [{ to: AT }, 'latest', { [AT]: { code } }])))
  }
  for (const socket of others) socket.send(postText(request('eth_getBalance', [AT, 'latest'])))
  for (const socket of others) await socket.until('"result":"0x0"')
  expect(asking.map(({ received }) => received)).toEqual(asking.map(() => ''))
}

describe('a node whose RPC workers run endless requests', () => {
  test('aborts them and stops after its grace period', async () => {
    const daemon = await start()
    await askForever(daemon)
    expect(await daemon.stop()).toBe(0)
    expect(daemon.output()).not.toContain(' ERR ')
  })

  test('stops at once after the second signal', async () => {
    const daemon = await start()
    await askForever(daemon)
    // A repeated signal from a script right after the first counts as one.
    const again = setInterval(() => daemon.process.kill('SIGTERM'), 50)
    onTestFinished(() => clearInterval(again))
    expect(await daemon.stop()).toBe(128 + constants.signals.SIGTERM)
    expect(daemon.output()).toContain(' INF stopping')
    expect(daemon.output()).not.toContain(' INF stopped')
  })
})
