import { afterAll, beforeAll, expect, test } from 'vitest'
import { initializeValidator, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { devAccount, signDynamicFee } from '../support/node/dev-wallet.ts'
import { makeRandom, runSeed } from '../support/random.ts'
import { bySet } from '../support/run/by-set.ts'
import { until } from '../support/until.ts'

const ROUNDS = Number(process.env.LOCKSTEP_KILLS ?? bySet(3, 8))
const CLIENTS = 6
const seed = runSeed()

const home = makeHome()

beforeAll(() => initializeValidator(home))

afterAll(() => removeHome(home))

interface SeenBlock {
  readonly number: string
  readonly hash: string
}

async function call(url: string, method: string, params: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return ((await response.json()) as { result: unknown }).result
}

async function open() {
  const daemon = await startDaemon({
    home,
    dev: false,
    arguments: ['--evm.serving-threads', '2', '--log-level', 'error'],
  })
  return { daemon, url: daemon.ready.rpc }
}

test(
  `everything that an RPC worker has returned is still there after a kill (seed ${seed})`,
  async () => {
    const random = makeRandom(seed)
    const account = devAccount(0)
    const seen = new Map<string, string>()
    let mined: string | undefined
    for (let round = 0; round < ROUNDS; round++) {
      const { daemon, url } = await open()
      for (const [number, hash] of seen) {
        expect(await call(url, 'eth_getBlockByNumber', [number, false]), number).toMatchObject({
          hash,
        })
      }
      if (mined !== undefined) {
        expect(await call(url, 'eth_getTransactionReceipt', [mined])).not.toBeNull()
      }
      seen.clear()
      let isOver = false
      let blocks = 0
      const watch = async () => {
        while (!isOver) {
          const block = (await call(url, 'eth_getBlockByNumber', ['latest', false])) as SeenBlock
          if (!seen.has(block.number)) blocks++
          seen.set(block.number, block.hash)
        }
      }
      const send = async () => {
        while (!isOver) {
          const nonce = Number(
            await call(url, 'eth_getTransactionCount', [account.address, 'latest']),
          )
          const raw = await signDynamicFee(account, {
            nonce,
            to: account.address,
            value: 1n,
            maxFeePerGas: 1_000_000_000_000n,
          })
          const hash = (await call(url, 'eth_sendRawTransaction', [raw])) as string | undefined
          if (hash === undefined) continue
          await until(async () => (await call(url, 'eth_getTransactionReceipt', [hash])) !== null)
          mined = hash
        }
      }
      // Each client ends with the node.
      const clients = [...Array.from({ length: CLIENTS }, watch), send()].map((one) =>
        one.catch(() => {}),
      )
      const enough = 2 + Math.floor(random() * 4)
      await until(() => blocks >= enough)
      await daemon.stop('SIGKILL')
      await Promise.all(clients)
      isOver = true
    }
    expect(mined).toBeDefined()
  },
  60_000 + ROUNDS * 30_000,
)
