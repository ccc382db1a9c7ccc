import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatData, type Hex } from '../../../host/base/hex.ts'
import { BusyBlocks } from '../../support/ahead/busy-blocks.ts'
import {
  type Daemon,
  initializeValidator,
  makeHome,
  removeHome,
  startDaemon,
} from '../../support/node/daemon.ts'
import { makeFollowerHome } from '../../support/node/follower-home.ts'
import { call } from '../../support/node/json-rpc.ts'
import { minedReceipt, reachHeight } from '../../support/node/progress.ts'
import { runSeed } from '../../support/random.ts'

const folder = makeHome()
const validatorHome = join(folder, 'validator')
const followerHome = join(folder, 'follower')
let validator: Daemon
/** The node that runs all transactions in order. */
let follower: Daemon

beforeAll(async () => {
  await initializeValidator(validatorHome)
  validator = await startDaemon({
    home: validatorHome,
    dev: false,
    arguments: [
      ...['--consensus.block-time', '400ms', '--evm.parallel_execution', '2'],
      ...['--instrumentation.prometheus', 'true'],
    ],
  })
  await makeFollowerHome(followerHome, validatorHome)
  follower = await startDaemon({
    home: followerHome,
    dev: false,
    arguments: ['--follow.rpc-servers', validator.ready.consensus],
  })
})
afterAll(async () => {
  await follower.stop()
  await validator.stop()
  removeHome(folder)
})

async function aheadCount(outcome: string): Promise<number> {
  const text = await (await fetch(validator.ready.metrics as string)).text()
  const name = `lockstep_ahead_transactions_total{outcome="${outcome}"}`
  const line = text.split('\n').find((one) => one.startsWith(name))
  return Number(line?.split(' ').at(-1) ?? 0)
}

test(`a node that executes in parallel makes the same blocks as a node that executes in order (seed ${runSeed()})`, async () => {
  const blocks = new BusyBlocks(runSeed())
  const send = async (raw: Uint8Array) =>
    call<Hex>(validator.ready.rpc, 'eth_sendRawTransaction', [formatData(raw)])
  await minedReceipt(validator.ready.rpc, await send(await blocks.deployment()))
  const hashes: Hex[] = []
  for (let round = 0; round < 40 && (await aheadCount('adopted')) < 20; round++) {
    const raws = await blocks.block(100, 0.1, 2000)
    const sent = await Promise.all(raws.map(send))
    await Promise.all(sent.map((hash) => minedReceipt(validator.ready.rpc, hash)))
    hashes.push(...sent)
  }
  expect(await aheadCount('adopted')).toBeGreaterThanOrEqual(20)
  // The follower compares the app hash after each block, and stops at a different one.
  const height = Number(await call(validator.ready.rpc, 'eth_blockNumber', []))
  await reachHeight(follower.ready.rpc, height)
  for (const hash of hashes) {
    const [one, other] = await Promise.all(
      [validator, follower].map(({ ready }) =>
        call(ready.rpc, 'eth_getTransactionReceipt', [hash]),
      ),
    )
    expect(one).toMatchObject({ status: '0x1' })
    expect(other).toEqual(one)
  }
})
