import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatQuantity, type Hex } from '../../../host/base/hex.ts'
import {
  type Daemon,
  initializeValidator,
  makeHome,
  removeHome,
  startDaemon,
} from '../../support/node/daemon.ts'
import { devAccount, signDynamicFee } from '../../support/node/dev-wallet.ts'
import { makeFollowerHome } from '../../support/node/follower-home.ts'
import { call } from '../../support/node/json-rpc.ts'
import { minedReceipt, reachHeight } from '../../support/node/progress.ts'
import { makeRandom, runSeed } from '../../support/random.ts'
import { until } from '../../support/until.ts'

const HEIGHTS = 500
const FOLLOWERS = 3
const LEAST_KILLED = 3
const LEAST_SENT = 30
const SEED = runSeed()

/**
 * Increments slot 0 on each call, stores the block number under the count, and logs the count: SSTORE(0, SLOAD(0) +
 * 1), SSTORE(count, NUMBER), LOG1(count).
 */
const COUNTER: Hex = '0x6017600c60003960176000f3600054600101806000554381558060005260206000a100'

const folder = makeHome()
const validatorHome = join(folder, 'validator')
const sender = devAccount(0)
let validator: Daemon

beforeAll(async () => {
  await initializeValidator(validatorHome)
  validator = await startDaemon({
    home: validatorHome,
    dev: false,
    arguments: ['--consensus.block-time', '5ms', '--log-level', 'warn'],
  })
})
afterAll(async () => {
  await validator.stop()
  removeHome(folder)
})

function signed(nonce: number, to?: Hex): Promise<Hex> {
  const data = to === undefined ? COUNTER : undefined
  return signDynamicFee(sender, { nonce, gas: 200_000n, to, data })
}

const heightOf = async ({ ready }: Daemon) => Number(await call<Hex>(ready.rpc, 'eth_blockNumber'))

/** Returns the answers to the same requests at some heights, as data. */
async function answersOf(
  { ready }: Daemon,
  heights: readonly number[],
  counter: Hex,
): Promise<unknown[]> {
  const ask = (method: string, ...params: unknown[]) => call(ready.rpc, method, params)
  const all: unknown[] = [
    await ask('eth_getLogs', {
      address: counter,
      fromBlock: '0x1',
      toBlock: formatQuantity(Math.max(...heights)),
    }),
  ]
  for (const height of heights) {
    const at = formatQuantity(height)
    all.push(
      await ask('eth_getBlockByNumber', at, true),
      await ask('eth_getBlockReceipts', at),
      await ask('eth_getBalance', sender.address, at),
      await ask('eth_getStorageAt', counter, '0x0', at),
      await ask('debug_traceBlockByNumber', at, { tracer: 'callTracer' }),
      await ask('debug_traceBlockByNumber', at, { tracer: 'prestateTracer' }),
    )
    for (const route of ['block', 'commit', 'block_results', 'validators']) {
      const answer = await fetch(`${ready.consensus}/${route}?height=${height}`)
      all.push(await answer.json())
    }
  }
  return all
}

test(`full nodes that are killed at random reach the state of their validator, seed ${SEED}`, async () => {
  const random = makeRandom(SEED)
  const below = (limit: number) => Math.floor(random() * limit)
  const homes = Array.from({ length: FOLLOWERS }, (_, i) => join(folder, `full-${i}`))
  for (const home of homes) await makeFollowerHome(home, validatorHome)
  // The last node follows the first, and the validator while that is down.
  const first: { url?: string } = {}
  const start = async (i: number): Promise<Daemon> => {
    const servers =
      i === FOLLOWERS - 1 && first.url !== undefined
        ? `${first.url},${validator.ready.consensus}`
        : validator.ready.consensus
    const follow = ['--follow.rpc-servers', servers, '--log-level', 'warn']
    const daemon = await startDaemon({ home: homes[i] as string, dev: false, arguments: follow })
    if (i === 0) first.url = daemon.ready.consensus
    return daemon
  }
  const running: Daemon[] = []
  for (let i = 0; i < FOLLOWERS; i++) running.push(await start(i))
  const deployed = await call<Hex>(validator.ready.rpc, 'eth_sendRawTransaction', [await signed(0)])
  const { contractAddress: counter } = await minedReceipt<{ contractAddress: Hex }>(
    validator.ready.rpc,
    deployed,
  )

  let isOver = false
  let sent = 0
  const send = async (): Promise<void> => {
    for (let nonce = 1; !isOver; nonce++) {
      const raw = [await signed(nonce, counter)]
      const nodes = [validator, ...running]
      const { ready } = nodes[below(nodes.length)] as Daemon
      const handed = call<Hex>(ready.rpc, 'eth_sendRawTransaction', raw)
      // A killed node may or may not have forwarded the transaction.
      const hash = await handed.catch(() =>
        call<Hex>(validator.ready.rpc, 'eth_sendRawTransaction', raw).catch(() => undefined),
      )
      if (hash !== undefined) await minedReceipt(validator.ready.rpc, hash)
      sent++
    }
  }
  let killed = 0
  const kill = async (): Promise<void> => {
    while (!isOver) {
      const i = below(FOLLOWERS)
      const daemon = running[i] as Daemon
      const enough = (await heightOf(daemon)) + 1 + below(60)
      await until(async () => isOver || (await heightOf(daemon)) >= enough)
      expect(await daemon.stop('SIGKILL')).toBe('SIGKILL')
      running[i] = await start(i)
      killed++
    }
  }
  const work = [send(), kill()]
  // A failure of one ends the other.
  const failed = Promise.all(work).catch((error) => {
    isOver = true
    throw error
  })
  await until(
    async () =>
      isOver ||
      ((await heightOf(validator)) > HEIGHTS && killed > LEAST_KILLED && sent > LEAST_SENT),
  )
  isOver = true
  await failed
  // The app hash of the latest compared height is in the next header.
  const newest = await heightOf(validator)
  await Promise.all(running.map(({ ready }) => reachHeight(ready.rpc, newest + 1)))
  const heights = Array.from({ length: 20 }, () => 1 + below(newest))
  heights.push(1, newest, newest + 1)
  const expected = await answersOf(validator, heights, counter)
  expect((expected[0] as unknown[]).length).toBeGreaterThan(LEAST_SENT / 2)
  for (const daemon of running) expect(await answersOf(daemon, heights, counter)).toEqual(expected)
  for (const daemon of running) expect(await daemon.stop()).toBe(0)
}, 400_000)
