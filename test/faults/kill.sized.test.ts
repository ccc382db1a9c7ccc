import { afterAll, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount, signDynamicFee } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import { minedReceipt } from '../support/node/progress.ts'
import { makeRandom, runSeed } from '../support/random.ts'
import { bySet } from '../support/run/by-set.ts'
import { until } from '../support/until.ts'
import { recomputeAppHashes } from './process/recompute.ts'

const KILLS = Number(process.env.LOCKSTEP_KILLS ?? bySet(3, 8))
const SENDERS = 4
const seed = runSeed()

interface Receipt {
  readonly status: Hex
  readonly blockNumber: Hex
  readonly blockHash: Hex
}

const home = makeHome()
afterAll(() => removeHome(home))

test(`a node that is killed ${KILLS} times under load loses nothing (LOCKSTEP_SEED=${seed})`, async () => {
  const random = makeRandom(seed)
  const nonces = new Array<number>(SENDERS).fill(0)
  const acknowledged = new Set<Hex>()
  const blocks = new Map<number, Hex>()
  let head = 0

  /** Sends transfers from one account until the node is killed. */
  async function load(daemon: Daemon, sender: number): Promise<void> {
    const account = devAccount(sender)
    for (;;) {
      const nonce = nonces[sender] as number
      const raw = await signDynamicFee(account, {
        nonce,
        to: devAccount(SENDERS + sender).address,
        value: 1n,
      })
      try {
        acknowledged.add(await call<Hex>(daemon.ready.rpc, 'eth_sendRawTransaction', [raw]))
      } catch (error) {
        if (!(error instanceof TypeError)) throw error
        return
      }
      nonces[sender] = nonce + 1
    }
  }

  /** Records every block that the node reports until it is killed. */
  async function follow(daemon: Daemon): Promise<void> {
    for (;;) {
      try {
        const number = Number(await call<Hex>(daemon.ready.rpc, 'eth_blockNumber'))
        if (number === head) continue
        const block = await call<{ hash: Hex } | null>(daemon.ready.rpc, 'eth_getBlockByNumber', [
          `0x${number.toString(16)}`,
          false,
        ])
        blocks.set(number, (block as { hash: Hex }).hash)
        head = Math.max(head, number)
      } catch (error) {
        if (!(error instanceof TypeError)) throw error
        return
      }
    }
  }

  /** Continues from the pool of the restarted node, which may contain a transaction without a response. */
  async function resume(daemon: Daemon): Promise<void> {
    for (let sender = 0; sender < SENDERS; sender++) {
      const params = [devAccount(sender).address, 'pending']
      const next = Number(await call<Hex>(daemon.ready.rpc, 'eth_getTransactionCount', params))
      expect(next, 'an acknowledged nonce is known after the restart').toBeGreaterThanOrEqual(
        nonces[sender] as number,
      )
      nonces[sender] = next
    }
  }

  for (let kill = 0; kill < KILLS; kill++) {
    const daemon = await startDaemon({ home })
    const { rpc } = daemon.ready
    expect(Number(await call<Hex>(rpc, 'eth_blockNumber'))).toBeGreaterThanOrEqual(head)
    await resume(daemon)
    const running = [follow(daemon), ...nonces.map((_, sender) => load(daemon, sender))]
    // A random moment of up to three blocks, since a block takes some twenty transactions.
    const enough = acknowledged.size + Math.floor(random() * 60)
    await until(() => acknowledged.size >= enough)
    await daemon.stop('SIGKILL')
    await Promise.all(running)
  }

  const daemon = await startDaemon({ home })
  const { rpc } = daemon.ready
  expect(acknowledged.size).toBeGreaterThan(KILLS)
  for (const hash of acknowledged) {
    const { status } = await minedReceipt<Receipt>(rpc, hash)
    expect(status).toBe('0x1')
  }
  for (const [number, hash] of blocks) {
    const params = [`0x${number.toString(16)}`, false]
    expect(await call(rpc, 'eth_getBlockByNumber', params)).toMatchObject({ hash })
  }
  expect(await daemon.stop()).toBe(0)
  const { recomputed, recorded } = await recomputeAppHashes(home)
  expect(recorded.length).toBeGreaterThan(1)
  expect(recomputed).toEqual(recorded)
}, 900_000)
