import { expect, test } from 'vitest'
import { hexDigits } from '../../../../../host/base/hex.ts'
import { encodeFrom } from '../../../../support/engine/unsigned-sender.ts'
import { address } from '../../../../support/node/test-pool.ts'
import { makeRandom, runSeed } from '../../../../support/random.ts'
import { AgreedChain, connectAll, GossipNode, makeBlock, settleAll } from './gossip-node.ts'

const NODES = 5
/** Number of nodes that propose. The others only accept transactions. */
const VALIDATORS = 2
const SENDERS = 6
const STEPS = 400

const seed = runSeed()

/** A sender's offers by nonce, latest last. A block holds one of them. */
type Offers = Map<string, Set<string>>

// CometBFT's pools are small and restart at random, and blocks are sometimes full. Clients use any node and replace
// their transactions. Each acknowledged transaction, or its replacement, must end up in a block.
test.each([seed, seed + 1, seed + 2, seed + 3])(
  'a transaction that any of five nodes acknowledged is eventually in a block (seed %i)',
  { timeout: 60_000 },
  async (drawn) => {
    const random = makeRandom(drawn)
    const pick = (count: number) => Math.floor(random() * count)
    const chain = new AgreedChain()
    const nodes = Array.from(
      { length: NODES },
      () =>
        new GossipNode(chain, {
          limits: { maxTransactions: 10_000, accountQueue: 1_000, globalQueue: 1_000 },
          cometSize: 3 + pick(10),
          gasLimit: 21_000n * BigInt(5 + pick(20)),
        }),
    )
    connectAll(nodes)
    const node = () => nodes[pick(NODES)] as GossipNode
    const next = Array.from({ length: SENDERS }, () => 0n)
    const offers: Offers = new Map()
    const included = new Map<string, string>()

    async function send(): Promise<void> {
      const who = pick(SENDERS)
      const tip = BigInt(1 + pick(40))
      const newest = next[who] as bigint
      // Mostly the next nonce, sometimes one with a gap, sometimes a replacement.
      const draw = random()
      const nonce = draw < 0.7 || newest === 0n ? newest : draw < 0.8 ? newest + 1n : newest - 1n
      const sender = address(who + 1)
      const raw = encodeFrom(sender, { nonce, maxPriorityFeePerGas: tip, maxFeePerGas: 10n + tip })
      const { pool, gossip } = node()
      try {
        const hash = hexDigits(await pool.add(raw))
        const slot = `${who}/${nonce}`
        offers.set(slot, (offers.get(slot) ?? new Set()).add(hash))
        if (nonce === newest) next[who] = newest + 1n
      } catch {
        // Refused: an underpriced replacement or a used nonce.
      }
      expect(gossip.waiting).toBeGreaterThanOrEqual(0)
    }

    async function block(): Promise<void> {
      for (const { from, nonce, hash } of await makeBlock(
        chain,
        nodes[pick(VALIDATORS)] as GossipNode,
        nodes,
      )) {
        included.set(`${Number(`0x${hexDigits(from)}`) - 1}/${nonce}`, hexDigits(hash))
      }
    }

    function restartComet(): void {
      const { comet, gossip } = node()
      comet.restart()
      gossip.sendAll()
    }

    for (let step = 0; step < STEPS; step++) {
      const draw = random()
      if (draw < 0.9) await send()
      else if (draw < 0.995) await block()
      else restartComet()
      if (random() < 0.3) await settleAll(nodes)
    }
    // Transactions with a nonce gap may miss an earlier one forever, so the missing ones are sent now.
    for (let who = 0; who < SENDERS; who++) {
      for (let nonce = 0n; nonce < (next[who] as bigint) + 2n; nonce++) {
        if (offers.has(`${who}/${nonce}`)) continue
        const raw = encodeFrom(address(who + 1), {
          nonce,
          maxPriorityFeePerGas: 1n,
          maxFeePerGas: 60n,
        })
        const hash = hexDigits(await node().pool.add(raw))
        offers.set(`${who}/${nonce}`, new Set([hash]))
      }
    }
    for (let rest = 0; rest < 200 && included.size < offers.size; rest++) {
      await settleAll(nodes)
      await block()
    }
    expect(included.size).toBe(offers.size)
    await settleAll(nodes)
    await block()
    for (const { comet, pool, gossip } of nodes) {
      expect([comet.transactions, pool.size, gossip.waiting]).toEqual([[], 0, 0])
    }
    for (const [slot, hash] of included) expect(offers.get(slot)).toContain(hash)
  },
)
