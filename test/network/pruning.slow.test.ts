import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMETBFT } from '../support/node/cometbft.ts'
import { call } from '../support/node/json-rpc.ts'
import { makeNetwork, type TestNetwork } from './nodes/network.ts'
import type { NetworkNode } from './nodes/network-node.ts'

/** A node retains at least 256 blocks, whose hashes the next block can read. */
const PAST = 270

describe.skipIf(COMETBFT === undefined)(
  'the blocks that CometBFT retains (skipped if LOCKSTEP_COMETBFT names no cometbft)',
  () => {
    let network: TestNetwork
    let node: NetworkNode

    beforeAll(async () => {
      network = await makeNetwork({
        validators: 1,
        // As fast as possible, with as few retained blocks as possible.
        settings: { 'consensus.timeout-commit': '1ms', 'log-level': 'warn' },
        settingsOf: {
          validator: {
            'min-retain-blocks': 1,
            'state-store.ss-keep-recent': 1,
            'state-store.ss-prune-interval': 1,
          },
        },
      })
      node = network.node('validator-1')
      await node.start()
      await network.untilHeight(PAST)
    })
    afterAll(() => network?.close())

    async function firstBlock(): Promise<number> {
      type Status = { readonly sync_info: { readonly earliest_block_height: string } }
      const { sync_info } = await node.ask<Status>('/status')
      return Number(sync_info.earliest_block_height)
    }

    test('are the same that the node retains', async () => {
      await network.until('the first blocks to go', async () => (await firstBlock()) > 1)
      const first = await firstBlock()
      const { blocks } = await call<{ blocks: { oldestBlock: string } }>(
        node.rpc,
        'eth_capabilities',
      )
      // The node may have pruned more since.
      expect(Number(blocks.oldestBlock)).toBeGreaterThanOrEqual(first)
      expect((await node.height()) - first).toBeGreaterThanOrEqual(255)
      expect(node.output()).not.toContain('failed to prune')
    })
  },
)
