import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeDice } from '../../fuzz/dice.ts'
import { residentBytes } from '../../support/flood/flood-watch.ts'
import { initializeValidator, makeHome, removeHome } from '../../support/node/daemon.ts'
import { call } from '../../support/node/json-rpc.ts'
import { runSeed } from '../../support/random.ts'
import { type Flood, type FloodTarget, generatedFlood, namedFloods } from './flood.ts'
import { type FloodNode, runFlood, startFloodNode } from './flood-node.ts'

// Checks that other clients get responses, blocks are made and memory is bounded during floods. `npm run -s bench --
// floods` measures the speed: the test machine may be busy.

/** Long enough for a node to fall behind. */
const FLOOD_MS = 500
/** Responses that an honest client must get during a flood, without a time limit. */
const ANSWERS = 3
export const MB = 1024 * 1024
const CLIENT_BYTES = 64 * MB
/** Memory growth of a node without floods: engines, and heap not collected yet. */
const OWN_BYTES = 600 * MB

const SEED = runSeed()

/** A target for the names of floods, which are needed before a node runs. */
export const NOWHERE: FloodTarget = {
  addresses: ['0x0000000000000000000000000000000000000001'],
  transactions: [`0x${'00'.repeat(32)}`],
  blockHashes: [`0x${'00'.repeat(32)}`],
  height: 1,
}
export const FLOOD_NAMES: readonly string[] = namedFloods(NOWHERE).map(({ name }) => name)

/** How the flooded node serves requests. */
export interface Served {
  readonly server: 'uws' | 'node'
  /** RPC workers, 0 for a development chain. */
  readonly threads: number
}

/** Declares the tests of a node with this server: the named floods, and a number of generated ones. */
export function testFloods(served: Served, names: readonly string[], generated: number): void {
  const { server, threads } = served
  const by = threads === 0 ? server : `${threads} threads with ${server}`
  describe(`a node under floods, served by ${by}`, () => {
    const home = makeHome()
    let node: FloodNode
    let restBytes: number
    /** Made once, since bodies of megabytes take a third of a second. */
    let floods: readonly Flood[]

    beforeAll(async () => {
      if (threads > 0) await initializeValidator(home)
      const settings = {
        'rpc-server': server,
        'serving-threads': threads,
        'max-client-bytes': CLIENT_BYTES,
      }
      node = await startFloodNode(
        {
          home,
          dev: threads === 0,
          arguments: Object.entries(settings).map(([key, value]) => `--evm.${key}=${value}`),
        },
        40,
        40,
      )
      restBytes = residentBytes(node.daemon.ready.pid)
      floods = namedFloods(node.target)
    })

    afterAll(async () => {
      expect(await node?.daemon.stop()).toBe(0)
      // A failed worker is replaced, which only the log shows.
      expect(node?.daemon.output()).not.toContain(' ERR ')
      removeHome(home)
    })

    const height = async () => {
      const ask = () => call(node.daemon.ready.rpc, 'eth_blockNumber')
      // The server may close an idle connection at the moment of its next use.
      return Number(await ask().catch(ask))
    }

    async function survives(flood: Flood): Promise<void> {
      const before = await height()
      const { count, watched } = await runFlood(node, flood, FLOOD_MS, ANSWERS)
      expect(count.connections).toBeGreaterThan(0)
      expect(watched.failures).toBe(0)
      expect(watched.peakBytes).toBeLessThan(restBytes + CLIENT_BYTES + OWN_BYTES)
      await expect.poll(height).toBeGreaterThan(before + 1)
    }

    test.each(names)('survives a flood of %s', async (name) => {
      const flood = floods.find((one) => one.name === name)
      await survives(flood as Flood)
    })

    test(`survives ${generated} random floods (LOCKSTEP_SEED=${SEED})`, async () => {
      for (let seed = SEED; seed < SEED + generated; seed++) {
        const flood = generatedFlood(seed, makeDice(seed), node.target)
        await survives(flood).catch((cause: unknown) => {
          throw new Error(flood.name, { cause })
        })
      }
    })
  })
}

/** One flood of each kind: a body, many responses, a slow reader, slow calls, the consensus RPC. */
export const ONE_OF_EACH: readonly string[] = [
  'batches of txpool_content as notifications',
  'unread answers of megabytes',
  'calls that never end',
  'batches on the consensus RPC',
]
