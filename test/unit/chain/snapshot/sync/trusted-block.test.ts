import { afterEach, describe, expect, test } from 'vitest'
import { RpcServer, serverUrl } from '../../../../../host/chain/consensus/follow/rpc-server.ts'
import { trustedBlock } from '../../../../../host/chain/snapshot/sync/trusted-block.ts'
import { startFakeServer } from '../../../../support/fake-server.ts'
import type { HttpServer } from '../../../../support/http-server.ts'

const CHAIN = 'lockstep-1'
const OURS = 'AB'.repeat(32)
const THEIRS = 'CD'.repeat(32)

interface Standing {
  readonly latest: number
  readonly earliest?: number
  readonly network?: string
  readonly hash?: string
}

function signedHeader(height: string, network: string, hash: string): object {
  const parts = { total: 1, hash }
  const time = '2026-11-22T00:00:00Z'
  return {
    signed_header: {
      header: {
        version: { block: '11', app: '0' },
        chain_id: network,
        height,
        time,
        last_block_id: { hash, parts },
        last_commit_hash: hash,
        data_hash: hash,
        validators_hash: hash,
        next_validators_hash: hash,
        consensus_hash: hash,
        app_hash: hash,
        last_results_hash: hash,
        evidence_hash: hash,
        proposer_address: 'AB'.repeat(20),
      },
      commit: { height, round: 0, block_id: { hash, parts }, signatures: [] },
    },
    canonical: true,
  }
}

const servers: HttpServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

/** A node's consensus RPC with what a trusted block needs. */
async function node({
  latest,
  earliest = 1,
  network = CHAIN,
  hash = OURS,
}: Standing): Promise<RpcServer> {
  const server = await startFakeServer((response, { body }) => {
    const { method, params, id } = JSON.parse(body)
    const sync_info = {
      latest_block_height: String(latest),
      earliest_block_height: String(earliest),
    }
    const result =
      method === 'status'
        ? { node_info: { network }, sync_info }
        : signedHeader(params.height, network, hash)
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  servers.push(server)
  const { signal } = new AbortController()
  return new RpcServer(serverUrl(`127.0.0.1:${server.port}`), 1_000_000, signal)
}

describe('the default trusted block', () => {
  test('is 10,000 blocks behind the latest block that all servers have', async () => {
    const both = [await node({ latest: 25_000 }), await node({ latest: 24_990 })]
    expect(await trustedBlock(both, CHAIN)).toEqual({ height: 14_990, hash: OURS })
  })

  test('is the latest of a shorter chain, and always one that every server still has', async () => {
    expect(await trustedBlock([await node({ latest: 10_000 })], CHAIN)).toEqual({
      height: 10_000,
      hash: OURS,
    })
    const pruned = [
      await node({ latest: 25_000, earliest: 20_000 }),
      await node({ latest: 25_000 }),
    ]
    expect(await trustedBlock(pruned, CHAIN)).toEqual({ height: 20_000, hash: OURS })
  })

  test('does not exist if the servers disagree', async () => {
    const both = [await node({ latest: 500 }), await node({ latest: 500, hash: THEIRS })]
    await expect(trustedBlock(both, CHAIN)).rejects.toMatchObject({
      code: 'UNTRUSTED',
      message: `${both[0]?.name} has block ${OURS} at height 500, ${both[1]?.name} has ${THEIRS}`,
    })
  })

  test('does not exist if a server is of another chain or does not answer', async () => {
    const other = await node({ latest: 500, network: 'other-1' })
    await expect(trustedBlock([await node({ latest: 500 }), other], CHAIN)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: `${other.name} is of chain other-1, but this home is of ${CHAIN}`,
    })
    const gone = await node({ latest: 500 })
    await servers.pop()?.close()
    await expect(trustedBlock([await node({ latest: 500 }), gone], CHAIN)).rejects.toMatchObject({
      code: 'NODE_UNREACHABLE',
    })
  })
})
