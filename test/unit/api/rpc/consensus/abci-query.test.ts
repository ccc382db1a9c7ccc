import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Comet38Client } from '@cosmjs/tendermint-rpc'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { consensusRpcHandler } from '../../../../../host/api/rpc/consensus/handler.ts'
import { CONSENSUS_ROUTES } from '../../../../../host/api/rpc/consensus/routes.ts'
import { nodeListen } from '../../../../../host/api/server/node-server.ts'
import type { Server } from '../../../../../host/api/server/server.ts'
import { WorkScheduler } from '../../../../../host/api/server/work-scheduler.ts'
import type {
  BlockRequest,
  FinalizeBlockResponse,
} from '../../../../../host/chain/consensus/application.ts'
import type { ConsensusBlockStore } from '../../../../../host/chain/consensus/embedded/block-store.ts'
import { consensusChainOf } from '../../../../../host/chain/consensus/embedded/chain.ts'
import { StateQuery } from '../../../../../host/chain/consensus/state-machine/state-query.ts'
import type { ModuleWrites } from '../../../../../host/evm/state/changeset.ts'
import { CommitThread } from '../../../../../host/storage/commit/commit-thread.ts'
import { buildCommitModule } from '../../../../support/engine/commit-module.ts'
import { type Claim, verifyQuery } from '../../../../support/node/light-client.ts'
import { GENESIS, runUntil, ToyApplication, ToyHome } from '../../../chain/consensus/toy-chain.ts'
import { changeset } from '../../../storage/store/chain/block-records.ts'
import { toyParts } from './toy-context.ts'

const NEWEST = 40
const KEEP_RECENT = 12
const OLDEST = NEWEST - KEEP_RECENT + 1
/** The last flush was at 31: heights below its floor are deleted, and later ones go with the next flush. */
const FLOOR = 31 - KEEP_RECENT + 1

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

/** Every block writes a key of its own height and a key shared by all. The staking module starts at 30. */
function writesAt(height: number): ModuleWrites[] {
  const own = { key: text(`height/${height}`), value: text(String(height)) }
  const shared = { key: text('shared'), value: text(`at ${height}`) }
  const gone = { key: text(`height/${height - 20}`), value: undefined }
  const staking = height < 30 ? [] : [{ module: 'staking', writes: [own] }]
  return [{ module: 'bank', writes: [gone, own, shared] }, ...staking]
}

/** Returns the value of a module's key at a height. */
function valueAt(module: string, key: string, height: number): Uint8Array | undefined {
  if (key === 'shared') return text(`at ${height}`)
  const written = Number(key.replace('height/', ''))
  const first = module === 'bank' ? Math.max(1, height - 19) : 30
  return written >= first && written <= height ? text(String(written)) : undefined
}

/** A chain whose state is what its blocks write to module stores. */
class ModuleApplication extends ToyApplication {
  readonly #committer: CommitThread

  constructor(committer: CommitThread) {
    super()
    this.#committer = committer
  }

  override async initChain() {
    const appHash = await this.#committer.stage(changeset(0))
    await this.#committer.commit()
    return { appHash }
  }

  override async finalizeBlock(request: BlockRequest): Promise<FinalizeBlockResponse> {
    const finalized = await super.finalizeBlock(request)
    const { height } = request
    const modules = writesAt(height)
    return { ...finalized, appHash: this.#committer.stage(changeset(height, { modules })) }
  }

  override async commit() {
    await this.#committer.commit()
    const answer = await super.commit()
    this.disk.appHash = this.#committer.appHash
    return answer
  }
}

let commitDir: string
let home: ToyHome
let store: ConsensusBlockStore
let committer: CommitThread
let server: Server
let url: string
let client: Comet38Client

beforeAll(async () => {
  commitDir = mkdtempSync(join(tmpdir(), 'lockstep-query-'))
  committer = await CommitThread.open({
    dir: commitDir,
    module: new WebAssembly.Module(readFileSync(await buildCommitModule())),
    keepRecent: KEEP_RECENT,
    onError: (error) => {
      throw error
    },
  })
  home = await ToyHome.create()
  store = home.openStore()
  const validator = await home.loadValidator()
  const application = new ModuleApplication(committer)
  const engine = await runUntil(NEWEST, application, { validator, blockStore: store })
  expect(engine.height).toBe(NEWEST)
  server = await nodeListen({
    work: new WorkScheduler(1 << 24),
    host: '127.0.0.1',
    port: 0,
    maxBodyBytes: 1_000_000,
    bodyIdleMs: 10_000,
    maxConnections: 100,
    handler: consensusRpcHandler({
      routes: CONSENSUS_ROUTES,
      maxBatch: 10,
      context: {
        engine,
        application,
        stateQuery: new StateQuery(committer, () => engine.height),
        blockStore: store,
        chain: consensusChainOf(GENESIS),
        validator,
        genesisFile: Buffer.from('{}'),
        node: { id: '', moniker: 'toy', version: '0.1.0', rpcAddress: '' },
        unconfirmedTransactions: () => ({ count: 0, bytes: 0 }),
        ...toyParts(),
      },
    }),
  })
  url = `http://127.0.0.1:${server.port}`
  client = await Comet38Client.connect(url)
})

afterAll(async () => {
  client?.disconnect()
  await server?.close(0)
  await store?.close()
  await committer?.close()
  await home?.remove()
  rmSync(commitDir, { recursive: true, force: true })
})

/** Returns the app hash in the next header, or that of the application after the latest block. */
async function appHashAfter(height: number): Promise<Uint8Array> {
  if (height < NEWEST) return (await client.commit(height + 1)).header.appHash
  return (await client.abciInfo()).lastBlockAppHash as Uint8Array
}

function query(path: string, key: string, height = 0, prove = true) {
  return client.abciQuery({ path, data: text(key), height, prove })
}

describe('abci_query', () => {
  test('returns values and absences that a light client can verify, at every retained height', async () => {
    const keys = [
      'height/0',
      'height/1',
      'height/19',
      'height/25',
      'height/35',
      'height/9',
      'shared',
      'z',
    ]
    for (let height = OLDEST; height <= NEWEST; height++) {
      const appHash = await appHashAfter(height)
      for (const module of height < 30 ? ['bank'] : ['bank', 'staking']) {
        for (const name of keys) {
          const value =
            name === 'shared' && module === 'staking' ? undefined : valueAt(module, name, height)
          const answer = await query(`/store/${module}/key`, name, height)
          expect(answer).toMatchObject({
            code: 0,
            height,
            key: text(name),
            value: value ?? text(''),
          })
          const claim: Claim = { module, key: text(name), value }
          const ops = answer.proof?.ops ?? []
          verifyQuery(ops, appHash, claim)
          expect(() => verifyQuery(ops, appHash, { ...claim, value: text('forged') })).toThrow()
          expect(() => verifyQuery(ops, new Uint8Array(32), claim)).toThrow()
        }
      }
    }
  })

  test('answers for the latest height by default', async () => {
    const answer = await query('/store/bank/key', 'shared')
    expect(answer).toMatchObject({ height: NEWEST, value: text(`at ${NEWEST}`) })
    const claim: Claim = { module: 'bank', key: text('shared'), value: answer.value }
    verifyQuery(answer.proof?.ops ?? [], await appHashAfter(NEWEST), claim)
  })

  test('returns the value without a proof if none is requested', async () => {
    const answer = await query('/store/bank/key', 'shared', 35, false)
    expect(answer).toMatchObject({ code: 0, height: 35, value: text('at 35') })
    expect(answer.proof).toBeUndefined()
  })

  test.each([
    [
      '/store/bank/key',
      FLOOR - 1,
      26,
      'height 19 cannot be proven any more, the oldest that can is 20; ' +
        'ask for a later height, or raise sc-keep-recent in app.toml',
    ],
    ['/store/bank/key', NEWEST + 1, 26, 'height 41 is in the future, the newest is 40'],
    ['/store/bank/key', -1, 26, 'height -1 is negative'],
    ['/store/staking/key', 29, 6, 'no such store: staking; height 29 has bank'],
    [
      '/store/evm_lattice/key',
      35,
      37,
      'store evm_lattice is one hash over all EVM state: it proves no single key; ' +
        'read EVM state over the EVM JSON-RPC',
    ],
    [
      '/store/bank/subspace',
      35,
      6,
      'invalid path: "/store/bank/subspace", want /store/<module>/key',
    ],
    ['/', 35, 6, 'invalid path: "/", want /store/<module>/key'],
  ])('refuses %s at height %i with code %i', async (path, height, code, log) => {
    const answer = await query(path, 'shared', height)
    expect(answer).toMatchObject({ code, codespace: 'sdk', log, height: 0, value: text('') })
    expect(answer.proof).toBeUndefined()
  })

  test('has the shape of CometBFT, over GET and POST', async () => {
    const shape = {
      code: 0,
      log: '',
      info: '',
      index: '0',
      key: 'c2hhcmVk',
      value: 'YXQgMzU=',
      proofOps: {
        ops: [
          { type: 'ics23:iavl', key: 'c2hhcmVk', data: expect.any(String) },
          { type: 'ics23:simple', key: 'YmFuaw==', data: expect.any(String) },
        ],
      },
      height: '35',
      codespace: '',
    }
    const get = async (params: string) => (await fetch(`${url}/abci_query?${params}`)).json()
    const path = 'path="/store/bank/key"'
    const answer = { jsonrpc: '2.0', id: -1, result: { response: shape } }
    expect(await get(`${path}&data=0x736861726564&height=35&prove=true`)).toEqual(answer)
    expect(await get(`${path}&data="shared"&height="35"&prove=true`)).toEqual(answer)
    expect(await get(`${path}&data="z"`)).toMatchObject({
      result: { response: { key: 'eg==', value: null, proofOps: null, height: '40' } },
    })
    const body = { jsonrpc: '2.0', id: 7, method: 'abci_query' }
    const post = async (params: unknown) => {
      const response = await fetch(url, {
        method: 'POST',
        body: JSON.stringify({ ...body, params }),
      })
      return response.json()
    }
    const named = { path: '/store/bank/key', data: '736861726564', height: '35', prove: true }
    expect(await post(named)).toEqual({ ...answer, id: 7 })
    expect(await post(Object.values(named))).toEqual({ ...answer, id: 7 })
  })

  test.each([
    ['data=0xabc', 'data is \\"0xabc\\", want bytes in hex'],
    ['data=shared', 'data is \\"shared\\", want bytes in hex'],
    ['data=0x00&prove=1', 'prove is \\"1\\", want true or false'],
    ['data=0x00&height=x', 'height is \\"x\\", want an integer'],
  ])('refuses %s as an argument', async (params, rule) => {
    const response = await fetch(`${url}/abci_query?path="/store/bank/key"&${params}`)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(rule)
  })
})
