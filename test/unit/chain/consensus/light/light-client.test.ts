import { describe, expect, test } from 'vitest'
import { ONE_THIRD } from '../../../../../host/chain/consensus/comet/commit-verification.ts'
import type { LightBlock } from '../../../../../host/chain/consensus/light/light-block.ts'
import {
  LightClient,
  type LightProvider,
} from '../../../../../host/chain/consensus/light/light-client.ts'
import { MAX_CLOCK_DRIFT } from '../../../../../host/chain/consensus/light/verify.ts'
import { CHAIN_ID, member, SignedChain, timeAt } from './signed-chain.ts'

const HEIGHTS = 200
const NOW = timeAt(300)

class Provider implements LightProvider {
  readonly name: string
  readonly asked: number[] = []
  readonly #blockAt: (height: number) => LightBlock

  constructor(name: string, blockAt: (height: number) => LightBlock) {
    this.name = name
    this.#blockAt = blockAt
  }

  async lightBlock(height: number): Promise<LightBlock> {
    this.asked.push(height)
    return this.#blockAt(height)
  }
}

const steady = new SignedChain(HEIGHTS, () => [1, 2, 3, 4].map((n) => member(n)))
/** At every tenth height one of the four validators is replaced. */
const changing = new SignedChain(HEIGHTS, (height) => {
  const first = Math.floor(height / 10)
  return [0, 1, 2, 3].map((n) => member(first + n + 1))
})

function open(
  chain: SignedChain,
  primary: LightProvider,
  witnesses: readonly LightProvider[] = [],
  trustHeight = 1,
  silent: string[] = [],
): Promise<LightClient> {
  return LightClient.open({
    rules: {
      chainId: CHAIN_ID,
      trustingPeriod: 3_600_000_000_000n,
      maxClockDrift: MAX_CLOCK_DRIFT,
      trustLevel: ONE_THIRD,
    },
    primary,
    witnesses,
    trustHeight,
    trustHash: chain.at(trustHeight).commit.blockId.hash,
    now: () => NOW,
    onSilent: ({ name }) => silent.push(name),
  })
}

const honest = (chain: SignedChain, name = 'primary') => new Provider(name, (at) => chain.at(at))

describe('a light client', () => {
  test('verifies a distant block in one step if the validators stay the same', async () => {
    const primary = honest(steady)
    const client = await open(steady, primary)
    expect((await client.verify(190)).header).toEqual(steady.at(190).header)
    expect(primary.asked).toEqual([1, 190])
  })

  test('verifies in several steps if the validators change, and backwards by parent hashes', async () => {
    const primary = honest(changing)
    const client = await open(changing, primary, [], 20)
    expect((await client.verify(190)).header).toEqual(changing.at(190).header)
    expect(primary.asked.length).toBeGreaterThan(8)
    expect(primary.asked.length).toBeLessThan(60)
    expect((await client.verify(15)).header).toEqual(changing.at(15).header)
    expect(primary.asked.slice(-5)).toEqual([19, 18, 17, 16, 15])
  })

  test('refuses to start from a block other than the trusted one', async () => {
    const forged = steady.forge(1, { header: { appHash: new Uint8Array(32) } })
    await expect(open(steady, new Provider('liar', () => forged))).rejects.toMatchObject({
      code: 'UNTRUSTED',
      message: expect.stringMatching(
        /^liar has block [0-9A-F]{64} at height 1, but trusted is [0-9A-F]{64} at 1$/,
      ),
    })
  })

  test('refuses a forged block of the primary anywhere on the path', async () => {
    for (const at of [190, 105, 60]) {
      const liar = new Provider('liar', (height) =>
        height === at ? changing.forge(height, { signers: [] }) : changing.at(height),
      )
      const client = await open(changing, liar)
      const asked = client.verify(190)
      // A forged block matters only if the client requested it.
      const isAsked = await asked.then(
        () => false,
        () => true,
      )
      expect(isAsked, String(at)).toBe(liar.asked.includes(at))
    }
  })

  test('stops if a witness has another signed block, and ignores an invalid one', async () => {
    const fork = steady.forge(150, { header: { appHash: new Uint8Array(32) } })
    const witness = new Provider('witness', (at) => (at === 150 ? fork : steady.at(at)))
    const client = await open(steady, honest(steady), [witness])
    await expect(client.verify(150)).rejects.toMatchObject({
      code: 'UNTRUSTED',
      message: expect.stringMatching(
        /^primary has block .* at height 150, witness has .*: one of them lies$/,
      ),
    })
    const silent: string[] = []
    const strangers = new SignedChain(HEIGHTS, () => [member(90)])
    const liar = new Provider('liar', (at) => (at === 1 ? steady : strangers).at(at))
    const down = new Provider('down', () => {
      throw new Error('nobody')
    })
    const patient = await open(steady, honest(steady), [liar, down], 1, silent)
    expect((await patient.verify(150)).header.height).toBe(150)
    expect(silent).toEqual(['down', 'liar', 'down'])
  })
})
