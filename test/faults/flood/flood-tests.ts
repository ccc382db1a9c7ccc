import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeDice } from '../../fuzz/dice.ts'
import { residentBytes } from '../../support/flood/flood-watch.ts'
import { initializeValidator, makeHome, removeHome } from '../../support/node/daemon.ts'
import { call } from '../../support/node/json-rpc.ts'
import { runSeed } from '../../support/random.ts'
import { type Flood, type FloodTarget, generatedFlood, namedFloods } from './flood.ts'
import { type FloodNode, runFlood, startFloodNode } from './flood-node.ts'

// That others are answered and blocks are made while floods run, and that memory is bounded. How fast, the bench
// says (`npm run -s bench -- floods`): here the machine may be doing anything else.

/** A node has had time to fall behind by then; those that once held it did so for seconds. */
const FLOOD_MS = 500
/** So often an honest client is answered during a flood, however long that takes here. */
const ANSWERS = 3
export const MB = 1024 * 1024
const CLIENT_BYTES = 64 * MB
/** What a process grows by anyhow: engines, heap that is not collected yet. */
const OWN_BYTES = 600 * MB

const SEED = runSeed()

/** The names stand before there is a node: its transactions are filled in later. */
export const NOWHERE: FloodTarget = {
  addresses: ['0x0000000000000000000000000000000000000001'],
  transactions: [`0x${'00'.repeat(32)}`],
  blockHashes: [`0x${'00'.repeat(32)}`],
  height: 1,
}
export const FLOOD_NAMES: readonly string[] = namedFloods(NOWHERE).map(({ name }) => name)

/** How a node under floods is served. */
export interface Served {
  readonly server: 'uws' | 'node'
  /** A development chain has none. */
  readonly threads: number
}

/** Declares the tests of a node that is served so: these floods by their names, and so many of anything. */
export function testFloods(served: Served, names: readonly string[], generated: number): void {
  const { server, threads } = served
  const by = threads === 0 ? server : `${threads} threads with ${server}`
  describe(`a node under floods, served by ${by}`, () => {
    const home = makeHome()
    let node: FloodNode
    let restBytes: number
    /** Made once: bodies of megabytes take a third of a second. */
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
      // A defect of a thread is mended by another one, and said here alone.
      expect(node?.daemon.output()).not.toContain(' ERR ')
      removeHome(home)
    })

    const height = async () => {
      const ask = () => call(node.daemon.ready.rpc, 'eth_blockNumber')
      // A connection that was idle during a flood may be closed just as it is used again.
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

/** One of each kind: a body, many answers, a slow reader, calls that take time, the consensus RPC. */
export const ONE_OF_EACH: readonly string[] = [
  'batches of txpool_content as notifications',
  'answers of megabytes that nobody reads',
  'calls that never end',
  'batches on the consensus RPC',
]
