import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { COMETBFT } from '../support/node/cometbft.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount, signDynamicFee } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import { until } from '../support/until.ts'

const IDLE = ['--consensus.create-empty-blocks', 'false']
const COMET = [
  ...['--consensus.engine', 'cometbft', '--consensus.cometbft', COMETBFT ?? 'cometbft'],
  ...['--p2p.laddr', 'tcp://127.0.0.1:0'],
]

let folder: string
beforeEach(() => {
  folder = makeHome()
})
afterEach(() => removeHome(folder))

/** Signals a node until it has ended, by the signal or by itself. */
async function end({ process: child }: Daemon): Promise<number | string> {
  const exited = new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 0))
  })
  const ended = child.exitCode ?? child.signalCode
  if (ended !== null) return ended
  child.kill('SIGTERM')
  return exited
}

/** Sends transfers to the node in order, ignoring failures. */
async function* sends({ ready }: Daemon): AsyncGenerator<void, never> {
  for (let nonce = 0; ; nonce++) {
    const raw = await signDynamicFee(0, { nonce, to: devAccount(1).address, value: 1n })
    await call(ready.rpc, 'eth_sendRawTransaction', [raw]).catch(() => undefined)
    yield
  }
}

/** Deletes a folder. Returns false if the node wrote into it meanwhile. */
function isDeleted(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true })
    return true
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOTEMPTY') return false
    throw thrown
  }
}

const CASES: readonly (readonly [string, readonly string[]])[] = [
  ['that makes blocks', ['--consensus.block-time', '50ms']],
  ['that waits for transactions', IDLE],
  ['with threads that serve', [...IDLE, '--evm.serving-threads', '1']],
  [
    'with payments and wallets',
    [
      ...[...IDLE, '--payments.enable', 'true', '--payments.address', '127.0.0.1:0'],
      ...['--wallets.enable', 'true', '--wallets.address', '127.0.0.1:0'],
    ],
  ],
  ...(COMETBFT === undefined ? [] : [['under CometBFT', COMET] as const]),
]

describe('a home that is deleted while its node runs', () => {
  test.each(CASES)(
    'does not prevent a node %s from stopping after SIGTERM',
    async (_, args) => {
      const home = join(folder, 'home')
      mkdirSync(home)
      const daemon = await startDaemon({ home: home, arguments: args })
      // Transactions keep coming before, during and after the deletion.
      const sending = sends(daemon)
      for (let sent = 0; sent < 3; sent++) await sending.next()
      const meanwhile = sending.next()
      await until(() => isDeleted(home))
      await meanwhile
      for (let sent = 0; sent < 20; sent++) await sending.next()
      expect(await end(daemon)).not.toBe('SIGKILL')
    },
    180_000,
  )
})
