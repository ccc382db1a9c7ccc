import { createPublicKey, verify } from 'node:crypto'
import {
  Comet38Client,
  type comet38,
  type ReadonlyDateWithNanoseconds,
} from '@cosmjs/tendermint-rpc'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ConsensusRpcContext } from '../../../../../host/api/rpc/consensus/context.ts'
import { consensusRpcHandler } from '../../../../../host/api/rpc/consensus/handler.ts'
import { CONSENSUS_ROUTES } from '../../../../../host/api/rpc/consensus/routes.ts'
import { nodeListen } from '../../../../../host/api/server/node-server.ts'
import type { Server } from '../../../../../host/api/server/server.ts'
import { WorkScheduler } from '../../../../../host/api/server/work-scheduler.ts'
import { NO_BLOCK_ID } from '../../../../../host/chain/consensus/comet/block-id.ts'
import { hashCometHeader } from '../../../../../host/chain/consensus/comet/header.ts'
import { VOTE_TYPE, voteSignBytes } from '../../../../../host/chain/consensus/comet/vote.ts'
import type { ConsensusBlockStore } from '../../../../../host/chain/consensus/embedded/block-store.ts'
import { consensusChainOf } from '../../../../../host/chain/consensus/embedded/chain.ts'
import {
  GENESIS,
  KEY,
  runUntil,
  ToyApplication,
  ToyHome,
} from '../../../chain/consensus/toy-chain.ts'
import { toyParts } from './toy-context.ts'

const GENESIS_DOCUMENT = {
  genesis_time: '2026-09-21T14:13:20Z',
  chain_id: 'toy-1',
  initial_height: '1',
  consensus_params: {
    block: { max_bytes: '200000', max_gas: '30000000' },
    evidence: { max_age_num_blocks: '100000', max_age_duration: '172800000000000' },
  },
  validators: [],
  app_hash: '',
}

const application = new ToyApplication()
let home: ToyHome
let store: ConsensusBlockStore
let server: Server
let url: string
let client: Comet38Client
let height: number
let maxPeerHeight = 0

beforeAll(async () => {
  home = await ToyHome.create()
  store = home.openStore()
  application.onPrepare = (at) => {
    application.pending = Array.from({ length: at % 3 }, (_, i) => Uint8Array.of(at, i))
  }
  application.retainHeight = 3
  const validator = await home.loadValidator()
  const engine = await runUntil(30, application, { validator, blockStore: store })
  height = engine.height
  const context: ConsensusRpcContext = {
    engine: {
      height,
      get sync() {
        return { maxPeerHeight, isCatchingUp: maxPeerHeight > height, startingHeight: 1 }
      },
    },
    application,
    stateQuery: { query: () => Promise.reject(new Error('a toy has no state')) },
    blockStore: store,
    chain: consensusChainOf(GENESIS),
    validator,
    genesisFile: Buffer.from(JSON.stringify(GENESIS_DOCUMENT)),
    node: {
      id: 'ab'.repeat(20),
      moniker: 'toy',
      version: '0.1.0',
      rpcAddress: 'tcp://127.0.0.1:26657',
    },
    unconfirmedTransactions: () => ({ count: 2, bytes: 220 }),
    ...toyParts(),
  }
  server = await nodeListen({
    work: new WorkScheduler(1 << 24),
    host: '127.0.0.1',
    port: 0,
    maxBodyBytes: 1_000_000,
    bodyIdleMs: 10_000,
    maxConnections: 100,
    handler: consensusRpcHandler({ routes: CONSENSUS_ROUTES, context, maxBatch: 10 }),
  })
  url = `http://127.0.0.1:${server.port}`
  client = await Comet38Client.connect(url)
})

afterAll(async () => {
  client.disconnect()
  await server.close(0)
  await store.close()
  await home.remove()
})

/** Status and parsed body. */
async function get(path: string): Promise<[number, Record<string, unknown>]> {
  const response = await fetch(url + path)
  return [response.status, (await response.json()) as Record<string, unknown>]
}

async function post(body: unknown): Promise<[number, unknown]> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(url, { method: 'POST', body: text })
  const answer = await response.text()
  return [response.status, answer === '' ? undefined : JSON.parse(answer)]
}

function nanosOf(date: ReadonlyDateWithNanoseconds | undefined): bigint {
  return BigInt(date?.getTime() ?? 0) * 1_000_000n + BigInt(date?.nanoseconds ?? 0)
}

/** Returns the hash of a header as the client decoded it. */
function hashOf(header: comet38.Header): Uint8Array {
  const { time, lastBlockId, ...rest } = header
  return hashCometHeader({ ...rest, time: nanosOf(time), lastBlockId: lastBlockId ?? NO_BLOCK_ID })
}

function hex(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? [])
    .toString('hex')
    .toUpperCase()
}

describe('the cosmjs client Comet38Client', () => {
  test('reads the status', async () => {
    const status = await client.status()
    const latest = store.decided(height)
    const earliest = store.decided(store.base)
    expect(status.nodeInfo.network).toBe('toy-1')
    expect(status.nodeInfo.protocolVersion).toEqual({ p2p: 8, block: 11, app: 3 })
    expect(status.syncInfo).toMatchObject({
      latestBlockHeight: height,
      latestBlockHash: latest?.blockId.hash,
      latestAppHash: latest?.block.header.appHash,
      earliestBlockHeight: 3,
      earliestBlockHash: earliest?.blockId.hash,
      catchingUp: false,
    })
    expect(status.validatorInfo.pubkey?.data).toEqual(KEY.publicKey)
    expect(status.validatorInfo.votingPower).toBe(10n)
  })

  test('reads blocks whose headers hash to their ids', async () => {
    for (let at = 3; at <= height; at++) {
      const { block, blockId } = await client.block(at)
      expect(hashOf(block.header)).toEqual(blockId.hash)
      expect(block.header.lastBlockId?.hash).toEqual(block.lastCommit?.blockId.hash)
      expect(block.txs).toHaveLength(at % 3)
    }
    expect((await client.block()).block.header.height).toBe(height)
  })

  test('reads commits with the signatures of the validators at that height', async () => {
    const { validators, total, blockHeight } = await client.validators({ height: 9 })
    expect([total, blockHeight]).toEqual([1, 9])
    const { commit, header, canonical } = await client.commit(9)
    expect(canonical).toBe(true)
    expect(commit.blockId.hash).toEqual(hashOf(header))
    const [vote] = commit.signatures
    expect(vote?.validatorAddress).toEqual(validators[0]?.address)
    const publicKey = createPublicKey({
      key: {
        kty: 'OKP',
        crv: 'Ed25519',
        x: Buffer.from(validators[0]?.pubkey?.data ?? []).toString('base64url'),
      },
      format: 'jwk',
    })
    const signBytes = voteSignBytes('toy-1', {
      type: VOTE_TYPE.PRECOMMIT,
      height: commit.height,
      round: commit.round,
      blockId: commit.blockId,
      timestamp: nanosOf(vote?.timestamp),
    })
    expect(verify(null, signBytes, publicKey, vote?.signature ?? new Uint8Array())).toBe(true)
    expect((await client.commit()).canonical).toBe(false)
  })

  test('reads results, abci info, the pool, genesis and health', async () => {
    const results = await client.blockResults(5)
    expect(results.results.map(({ code, gasUsed, data }) => [code, gasUsed, hex(data)])).toEqual([
      [0, 2n, '0500'],
      [1, 2n, '0501'],
    ])
    expect(await client.abciInfo()).toEqual({
      data: 'toy',
      lastBlockHeight: height,
      lastBlockAppHash: application.disk.appHash,
    })
    expect(await client.numUnconfirmedTxs()).toEqual({ total: 2, totalBytes: 220 })
    expect((await client.genesis()).chainId).toBe('toy-1')
    expect(await client.health()).toBeNull()
  })

  test('reads at most 20 headers, highest first', async () => {
    const all = await client.blockchain()
    expect(all.lastHeight).toBe(height)
    const heights = all.blockMetas.map(({ header }) => header.height)
    expect(heights).toEqual(Array.from({ length: 20 }, (_, i) => height - i))
    const some = await client.blockchain(1, 5)
    expect(some.blockMetas.map(({ header, numTxs }) => [header.height, numTxs])).toEqual([
      [5, 2],
      [4, 1],
      [3, 0],
    ])
    expect(some.blockMetas[0]?.blockSize).toBe(store.decided(5)?.encoded.length)
  })

  test('pages through validators', async () => {
    expect((await client.validators({ per_page: 100 })).blockHeight).toBe(height + 1)
    await expect(client.validators({ page: 2 })).rejects.toThrow(
      'page should be within [1, 1] range, given 2',
    )
  })
})

describe('the consensus RPC over GET', () => {
  test('wraps the result in an envelope with id -1', async () => {
    expect(await get('/health')).toEqual([200, { jsonrpc: '2.0', id: -1, result: {} }])
    const response = await fetch(`${url}/health`)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(Number(response.headers.get('x-server-time'))).toBeGreaterThan(1.7e9)
  })

  test('returns the app hash after a block with its results, also for the latest block', async () => {
    const appHashOf = async (query: string): Promise<unknown> => {
      const [, body] = await get(`/block_results${query}`)
      return (body.result as { app_hash: string }).app_hash
    }
    const base64 = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('base64')
    expect(await appHashOf('?height=4')).toBe(base64(store.decided(5)?.block.header.appHash))
    expect(await appHashOf('')).toBe(base64(application.disk.appHash))
  })

  test('answers in the shapes of CometBFT', async () => {
    const [, body] = await get('/commit?height=4')
    const decided = store.decided(4)
    const header = decided?.block.header
    expect(body.result).toEqual({
      signed_header: {
        header: {
          version: { block: '11', app: '3' },
          chain_id: 'toy-1',
          height: '4',
          time: '2026-09-21T14:13:21.2Z',
          last_block_id: {
            hash: hex(header?.lastBlockId.hash),
            parts: { total: 1, hash: hex(header?.lastBlockId.parts.hash) },
          },
          last_commit_hash: hex(header?.lastCommitHash),
          data_hash: hex(header?.dataHash),
          validators_hash: hex(header?.validatorsHash),
          next_validators_hash: hex(header?.validatorsHash),
          consensus_hash: hex(header?.consensusHash),
          app_hash: hex(header?.appHash),
          last_results_hash: hex(header?.lastResultsHash),
          evidence_hash: 'E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855',
          proposer_address: 'FE812C12F3AB4CE6AC5DB69AC352F906CB1B11EF',
        },
        commit: {
          height: '4',
          round: 0,
          block_id: {
            hash: hex(decided?.blockId.hash),
            parts: { total: 1, hash: hex(decided?.blockId.parts.hash) },
          },
          signatures: [
            {
              block_id_flag: 2,
              validator_address: 'FE812C12F3AB4CE6AC5DB69AC352F906CB1B11EF',
              timestamp: '2026-09-21T14:13:21.201Z',
              signature: Buffer.from(decided?.commit.signatures[0]?.signature ?? []).toString(
                'base64',
              ),
            },
          ],
        },
      },
      canonical: true,
    })
    const [, net] = await get('/net_info')
    expect(net.result).toEqual({
      listening: false,
      listeners: [],
      n_peers: '0',
      peers: [],
      peer_connections: [],
    })
    const [, params] = await get('/consensus_params')
    expect(params.result).toMatchObject({
      block_height: String(height + 1),
      consensus_params: { block: { max_bytes: '200000', max_gas: '30000000' } },
    })
    const [, block] = await get('/block?height=3')
    expect(block.result).toMatchObject({
      block: { data: { txs: [] }, evidence: { evidence: [] }, last_commit: { height: '2' } },
    })
  })

  test('accepts heights with or without quotes, and hashes in hex', async () => {
    const [, plain] = await get('/header?height=5')
    const hash = hex(store.decided(5)?.blockId.hash)
    for (const path of [
      '/header?height="5"',
      `/header_by_hash?hash=0x${hash}`,
      `/header_by_hash?hash=${hash.toLowerCase()}`,
      `/header_by_hash?hash="${hash}"`,
    ]) {
      expect(await get(path)).toEqual([200, plain])
    }
    const [, block] = await get(`/block_by_hash?hash=0x${hash}`)
    expect(block).toEqual((await get('/block?height=5'))[1])
  })

  test('answers an unknown hash with an empty result', async () => {
    const hash = 'ab'.repeat(32)
    expect((await get(`/header_by_hash?hash=0x${hash}`))[1].result).toEqual({ header: null })
    expect((await get(`/block_by_hash?hash=0x${hash}`))[1].result).toEqual({
      block_id: { hash: '', parts: { total: 0, hash: '' } },
      block: null,
    })
  })

  test.each([
    ['0', 'height must be greater than zero (requested height: 0)'],
    ['-3', 'height must be greater than zero (requested height: -3)'],
    ['2', 'height is not available (requested height: 2, base height: 3)'],
  ])('refuses height %s with the message of the reference node', async (at, data) => {
    for (const route of ['block', 'header', 'commit', 'validators', 'block_results']) {
      expect(await get(`/${route}?height=${at}`)).toEqual([
        200,
        { jsonrpc: '2.0', id: -1, error: { code: -32600, message: 'Invalid request', data } },
      ])
    }
  })

  test('refuses a future height', async () => {
    const [, body] = await get('/block?height=999')
    expect(body.error).toEqual({
      code: -32600,
      message: 'Invalid request',
      data:
        "height must be less than or equal to the head of the node's blockchain " +
        `(requested height: 999, blockchain height: ${height})`,
    })
  })

  test.each([
    '/block?height=abc',
    '/block?height=1e3',
    '/block?height=99999999999999999999',
    '/block_by_hash',
    '/block_by_hash?hash=0x1234',
    '/validators?page=x',
  ])('answers 400 to %s', async (path) => {
    const [status, body] = await get(path)
    expect(status).toBe(400)
    expect(body).toMatchObject({ id: -1, error: { code: -32602, message: 'Invalid params' } })
  })

  test('answers 404 to an unknown route and 405 to other methods', async () => {
    for (const path of ['/nope', '/status/', '/__proto__', '/constructor']) {
      expect((await fetch(url + path)).status).toBe(404)
    }
    expect((await fetch(`${url}/status`, { method: 'POST', body: '{}' })).status).toBe(404)
    const refused = await fetch(url, { method: 'DELETE' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
  })

  test('lists its routes', async () => {
    const response = await fetch(url)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const html = await response.text()
    for (const name of CONSENSUS_ROUTES.keys()) expect(html).toContain(`href="/${name}`)
    expect(html).toContain('href="/validators?height=_&amp;page=_&amp;per_page=_"')
  })
})

describe('the route lag_status', () => {
  test('returns numbers', async () => {
    maxPeerHeight = height + 300
    expect(await get('/lag_status')).toEqual([
      200,
      {
        jsonrpc: '2.0',
        id: -1,
        result: { current_height: height, max_peer_height: height + 300, lag: 300 },
      },
    ])
    const [, status] = await get('/status')
    expect(status.result).toMatchObject({
      sync_info: { catching_up: true, max_peer_block_height: String(height + 300) },
    })
    maxPeerHeight = 0
    const [, body] = await get('/lag_status')
    // Without peers a node does not know its lag.
    expect(body.result).toEqual({ current_height: height, max_peer_height: 0, lag: null })
  })

  test('returns 417 when the node lags too far', async () => {
    maxPeerHeight = height + 301
    const result = { current_height: height, max_peer_height: height + 301, lag: 301 }
    expect(await get('/lag_status')).toEqual([417, { jsonrpc: '2.0', id: -1, result }])
    expect(await post({ jsonrpc: '2.0', id: 7, method: 'lag_status' })).toEqual([
      417,
      {
        jsonrpc: '2.0',
        id: 7,
        result,
        error: { code: -32604, message: 'Lag is too high', data: JSON.stringify(result) },
      },
    ])
    maxPeerHeight = 0
  })
})

describe('the consensus RPC over POST', () => {
  const header = { jsonrpc: '2.0', id: 'a', method: 'header' }

  test('accepts params by name or position, and integers as strings or numbers', async () => {
    const expected = await post({ ...header, params: { height: '5' } })
    expect(expected).toMatchObject([200, { id: 'a', result: { header: { height: '5' } } }])
    for (const params of [{ height: 5 }, ['5'], [5], { height: '5', unknown: true }]) {
      expect(await post({ ...header, params })).toEqual(expected)
    }
    const hash = store.decided(5)?.blockId.hash
    const byHash = { jsonrpc: '2.0', id: 'a', method: 'header_by_hash' }
    const base64 = Buffer.from(hash ?? []).toString('base64')
    for (const params of [{ hash: base64 }, { hash: hex(hash) }]) {
      expect(await post({ ...byHash, params })).toEqual(expected)
    }
    const [, latest] = await post({ ...header, params: { height: null } })
    expect(latest).toMatchObject({ result: { header: { height: String(height) } } })
  })

  test.each([
    ['{', -32700, null],
    ['', undefined, undefined],
    ['1', -32600, null],
    ['null', -32600, null],
    ['[]', -32600, null],
    ['[[]]', -32600, null],
    ['{"jsonrpc":"2.0","id":{},"method":"health"}', -32600, null],
    ['{"jsonrpc":"2.0","id":1,"method":2}', -32600, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"nope"}', -32601, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"block","params":"x"}', -32602, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"block","params":[1,2]}', -32602, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"block","params":{"height":1.5}}', -32602, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"block","params":{"height":{}}}', -32602, 1],
  ])('answers %s with code %s', async (body, code, id) => {
    if (code === undefined) {
      const response = await fetch(url, { method: 'POST', body })
      expect(await response.text()).toContain('<ul>')
      return
    }
    const [status, answer] = await post(body)
    expect(status).toBe(200)
    const [only] = Array.isArray(answer) ? answer : [answer]
    expect(only).toMatchObject({ jsonrpc: '2.0', id, error: { code } })
  })

  test('answers a batch in order without notifications', async () => {
    const [, answers] = await post([
      { jsonrpc: '2.0', id: 1, method: 'health' },
      { jsonrpc: '2.0', method: 'health' },
      { jsonrpc: '2.0', id: 2, method: 'nope' },
    ])
    expect(answers).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { code: -32601 } },
    ])
    expect(await post({ jsonrpc: '2.0', method: 'health' })).toEqual([204, undefined])
  })

  test('refuses a batch of more than ten', async () => {
    const batch = Array.from({ length: 11 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'health' }))
    expect(await post(batch.slice(1))).toMatchObject([200, { length: 10 }])
    expect(await post(batch)).toMatchObject([
      200,
      { id: null, error: { code: -32600, data: 'Batch size limit exceeded.' } },
    ])
  })
})
