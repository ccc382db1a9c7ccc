import { keccak256 } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { signDynamicFee } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'
import { minedReceipt } from '../support/node/progress.ts'
import { makeRandom, runSeed } from '../support/random.ts'
import { until } from '../support/until.ts'

/** Bytes of data: some twenty such transactions exceed the journal's limit of twice the pool. */
const LARGE = 60_000
const seed = runSeed()

let home: string
beforeEach(() => {
  home = makeHome()
})
afterEach(() => removeHome(home))

interface Transfer {
  readonly sender: number
  readonly nonce: number
  readonly bytes?: number
  readonly fee?: bigint
}

function sign({ sender, nonce, bytes = 0, fee = 10n }: Transfer): Promise<Hex> {
  return signDynamicFee(sender, {
    nonce,
    to: '0x00000000000000000000000000000000000000ee',
    value: 1n,
    data: `0x${'5a'.repeat(bytes)}`,
    gas: 21_000n + 40n * BigInt(bytes),
    maxFeePerGas: fee * 1_000_000_000n,
    maxPriorityFeePerGas: fee * 100_000_000n,
  })
}

async function send(daemon: Daemon, transfer: Transfer): Promise<Hex> {
  const raw = await sign(transfer)
  return call<Hex>(daemon.ready.rpc, 'eth_sendRawTransaction', [raw])
}

async function missing(daemon: Daemon, hashes: Iterable<Hex>): Promise<Hex[]> {
  const lost: Hex[] = []
  for (const hash of hashes) {
    const found = await call(daemon.ready.rpc, 'eth_getTransactionByHash', [hash])
    if (found === null) lost.push(hash)
  }
  return lost
}

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'a restart after %s restores a pool whose journal exceeds 1 MiB, and logs that',
  async (signal) => {
    const daemon = await startDaemon({ home })
    const hashes: Hex[] = []
    for (let nonce = 1; nonce <= 18; nonce++) {
      hashes.push(await send(daemon, { sender: 0, nonce, bytes: LARGE }))
    }
    for (let nonce = 1; nonce <= 3; nonce++) hashes.push(await send(daemon, { sender: 1, nonce }))
    await daemon.stop(signal)
    const next = await startDaemon({ home })
    expect(await missing(next, hashes)).toEqual([])
    expect(next.output()).toContain('mempool restored')
    expect(next.output()).toMatch(/transactions["=: ]+21/)
    // The gap is filled, and everything queued behind it is mined.
    await send(next, { sender: 0, nonce: 0 })
    const last = hashes[17] as Hex
    await minedReceipt(next.ready.rpc, last)
    await next.stop()
  },
  180_000,
)

test(`kills during a rewrite of the pool journal lose no transaction (LOCKSTEP_SEED=${seed})`, async () => {
  const random = makeRandom(seed)
  /** By sender and nonce: the hash acknowledged last, and the one sent after it. */
  const sent = new Map<string, { acknowledged?: Hex; open?: Hex }>()
  const fees = new Map<string, bigint>()
  for (let round = 0; round < 8; round++) {
    let answers = 0
    const daemon = await startDaemon({ home })
    for (const [place, { acknowledged, open }] of sent) {
      if (acknowledged === undefined) continue
      // A transaction without a response may have been accepted and have replaced the last.
      const either = open === undefined ? [acknowledged] : [acknowledged, open]
      const lost = await missing(daemon, either)
      expect(lost.length, `round ${round}: ${place}`).toBeLessThan(either.length)
    }
    // Replaced large transactions fill the journal with history, so that it is rewritten often.
    const flood = async (sender: number): Promise<void> => {
      for (let turn = 0; ; turn++) {
        const nonce = 1 + (turn % 6)
        const place = `${sender}/${nonce}`
        const fee = ((fees.get(place) ?? 10n) * 112n) / 100n + 1n
        fees.set(place, fee)
        const raw = await sign({ sender, nonce, bytes: LARGE, fee })
        sent.set(place, { ...sent.get(place), open: keccak256(raw) })
        try {
          const hash = await call<Hex>(daemon.ready.rpc, 'eth_sendRawTransaction', [raw])
          sent.set(place, { acknowledged: hash })
          answers++
        } catch (error) {
          if (!(error instanceof TypeError)) throw error
          return
        }
      }
    }
    const running = [flood(0), flood(1)]
    const enough = 10 + Math.floor(random() * 40)
    await until(() => answers >= enough)
    await daemon.stop('SIGKILL')
    await Promise.all(running)
  }
})
