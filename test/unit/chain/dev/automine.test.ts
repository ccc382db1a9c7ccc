import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseData } from '../../../../host/base/hex.ts'
import { devAccount, signDynamicFee } from '../../../support/node/dev-wallet.ts'
import { amendment, type DrivenHome, makeDevHome, openDriven } from './driven-home.ts'

const GWEI = 1_000_000_000n

let root: string
let home: DrivenHome

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'lockstep-dev-'))
  await makeDevHome(root)
  home = await openDriven(root)
})

beforeEach(async () => {
  await home.dev.reset()
  await home.dev.setAutomine(true)
})

afterAll(async () => {
  await home.close()
  rmSync(root, { recursive: true, force: true })
})

async function sign(index: number, nonce: number, tip = GWEI): Promise<Uint8Array> {
  const raw: Hex = await signDynamicFee(index, {
    to: devAccount(9).address,
    nonce,
    maxFeePerGas: 5n * GWEI + tip,
    maxPriorityFeePerGas: tip,
  })
  return parseData(raw)
}

/** Returns the height and index of each transaction. */
const placesOf = (hashes: readonly Uint8Array[]) =>
  hashes.map((hash) => {
    const { height, index } = home.stores.amended.chain.locate(hash) ?? { height: 0, index: 0 }
    return [height, index]
  })

describe('automine', () => {
  test('puts each of several concurrent transactions into its own block, in their order', async () => {
    const tips = [1n, 5n, 2n, 4n].map((tip) => tip * GWEI)
    const raws = await Promise.all([
      ...tips.map((tip, index) => sign(index, 0, tip)),
      sign(0, 1, 9n * GWEI),
      sign(0, 2),
    ])
    const hashes = await Promise.all(raws.map((raw) => home.pool.add(raw)))
    expect(placesOf(hashes)).toEqual([1, 2, 3, 4, 5, 6].map((height) => [height, 0]))
    expect(home.stores.amended.chain.latest).toBe(6)
  })

  test('includes transactions that waited for a nonce in the block that fills the gap', async () => {
    const queued = [await home.pool.add(await sign(0, 2)), await home.pool.add(await sign(0, 1))]
    expect(home.stores.amended.chain.latest).toBe(0)
    const first = await home.pool.add(await sign(0, 0))
    expect(placesOf([first, ...queued])).toEqual([
      [1, 0],
      [1, 2],
      [1, 1],
    ])
  })

  test('mines the transactions that arrived while it was off when it is turned on', async () => {
    await home.dev.setAutomine(false)
    const waiting = [await home.pool.add(await sign(0, 0)), await home.pool.add(await sign(1, 0))]
    await home.dev.setAutomine(true)
    const hash = await home.pool.add(await sign(2, 0))
    expect(placesOf([...waiting, hash])).toEqual([
      [1, 0],
      [1, 1],
      [2, 0],
    ])
  })

  test('leaves all pending transactions to a manually mined block that is already queued', async () => {
    const raws = await Promise.all([sign(0, 0), sign(1, 0)])
    let begin = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const amended = home.dev.amend(async () => {
      await begun
      return amendment({})
    })
    const mined = home.dev.mine({ blocks: 1 })
    const added = raws.map((raw, index) =>
      home.pool.add(raw, { signer: parseData(devAccount(index).address) }),
    )
    begin()
    const hashes = await Promise.all(added)
    expect(await mined).toEqual({ first: 1, last: 1 })
    await amended
    expect(placesOf(hashes)).toEqual([
      [1, 0],
      [1, 1],
    ])
    expect(home.stores.amended.chain.latest).toBe(1)
  })
})

test('the pool refuses tips below the configured price until a reset or revert removes it', async () => {
  const snapshot = await home.dev.snapshot()
  home.dev.next.minGasPrice = 2n * GWEI
  const cheap = await sign(0, 0, 2n * GWEI - 1n)
  await expect(home.pool.add(cheap)).rejects.toThrow(
    'transaction underpriced: gas tip cap 1999999999, minimum needed 2000000000',
  )
  await home.pool.add(await sign(0, 0, 2n * GWEI))
  await home.dev.revert(snapshot)
  expect(await home.pool.add(cheap)).toHaveLength(32)
})
