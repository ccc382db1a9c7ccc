import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { LockstepError } from '../../../../host/base/error.ts'
import { encodeCommitmentProof } from '../../../../host/chain/consensus/comet/commitment-proof.ts'
import type { Changeset, KeyWrite } from '../../../../host/evm/state/changeset.ts'
import { CommitHasher } from '../../../../host/storage/commit/hash/commit-hasher.ts'
import { IavlStore } from '../../../../host/storage/commit/iavl/iavl-store.ts'
import { LmdbCommitter, openCommitter } from '../../../../host/storage/commit/lmdb-committer.ts'
import { VersionRows } from '../../../../host/storage/commit/version-rows.ts'
import { LmdbEnv } from '../../../../host/storage/store/lmdb/lmdb-env.ts'
import { buildCommitModule } from '../../../support/engine/commit-module.ts'
import { verifyQuery } from '../../../support/node/light-client.ts'
import { bySet } from '../../../support/run/by-set.ts'
import { account, changeset } from '../store/chain/block-records.ts'

let module: WebAssembly.Module

beforeAll(async () => {
  module = new WebAssembly.Module(readFileSync(await buildCommitModule()))
})

function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'lockstep-versions-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

const MODULES = ['bank', 'staking']
const KEYS = Array.from({ length: 13 }, (_, n) => Uint8Array.of(n))
/** The last key is never written. */
const key = fc.nat(11).map((n) => KEYS[n] as Uint8Array)
const value = fc.option(fc.uint8Array({ minLength: 1, maxLength: 3 }), { nil: undefined })
const writes: fc.Arbitrary<KeyWrite[]> = fc.array(fc.record({ key, value }), { maxLength: 8 })

/** Blocks that write to some modules, or to none. */
const history = fc
  .array(
    fc.uniqueArray(fc.tuple(fc.constantFrom(...MODULES), writes), {
      maxLength: 2,
      selector: ([name]) => name,
    }),
    { minLength: 1, maxLength: 45 },
  )
  .map((blocks) =>
    blocks.map((modules, height) =>
      changeset(height, {
        accounts: [[height % 3, account(height, 1)]],
        modules: modules.map(([name, batch]) => ({ module: name, writes: batch })),
      }),
    ),
  )

/** The state and app hash of one height. */
interface Height {
  readonly appHash: Uint8Array
  /** Module name to key number to value. */
  readonly state: ReadonlyMap<string, ReadonlyMap<number, Uint8Array>>
}

/** A committed chain with the state that every height must prove. */
class ProvenChain {
  readonly heights: Height[] = []

  async commit(committer: LmdbCommitter, block: Changeset): Promise<void> {
    const appHash = await committer.stage(block)
    await committer.commit()
    if (block.height < this.heights.length) return
    const state = new Map(this.heights.at(-1)?.state)
    for (const { module: name, writes: batch } of block.modules) {
      const values = new Map(state.get(name))
      for (const {
        key: [n = 0],
        value: written,
      } of batch) {
        if (written === undefined) values.delete(n)
        else values.set(n, written)
      }
      state.set(name, values)
    }
    this.heights.push({ appHash, state })
  }

  /** Verifies every key at every height from `floor` on as a light client does, and that lower heights are refused. */
  async verify(committer: LmdbCommitter, floor: number): Promise<void> {
    for (const [height, { appHash, state }] of this.heights.entries()) {
      for (const name of MODULES) {
        const values = state.get(name)
        for (const key of KEYS) {
          const proof = committer.prove(name, key, height)
          if (height < floor) await expect(proof).rejects.toMatchObject({ code: 'STATE_PRUNED' })
          else if (values === undefined)
            await expect(proof).rejects.toThrow(`no such store: ${name}`)
          else if (values.size === 0) {
            expect((await proof).tree).toMatchObject({ left: undefined, right: undefined })
          } else {
            const { tree, store } = await proof
            const ops = [
              { type: 'ics23:iavl', key, data: encodeCommitmentProof(tree) },
              { type: 'ics23:simple', key: store.key, data: encodeCommitmentProof(store) },
            ]
            const value = values.get(key[0] as number)
            verifyQuery(ops, appHash, { module: name, key, value })
          }
        }
      }
    }
  }
}

/** Returns the ids of the nodes on disk and of those reachable from versions on disk, by module. */
function nodesOnDisk(dir: string): { readonly held: string[]; readonly reached: string[] } {
  const env = new LmdbEnv(dir)
  const nodes = new IavlStore(env.table('nodes'))
  const rows = new VersionRows(
    { versions: env.table('versions'), dropped: env.table('dropped') },
    nodes,
  )
  const reached = new Set<string>()
  const reach = (name: string, id: number): void => {
    if (id === 0 || reached.has(`${name} ${id}`)) return
    reached.add(`${name} ${id}`)
    const { left, right } = nodes.read(name, id)
    reach(name, left)
    reach(name, right)
  }
  const versions = Array.from(env.table('versions').range({}), ({ key }) =>
    Number(Buffer.from(key).readBigUInt64BE()),
  )
  for (const version of versions) {
    for (const { name, node } of rows.read(version) ?? []) reach(name, node)
  }
  const held = Array.from(env.table('nodes').range({}), ({ key }) => {
    const bytes = Buffer.from(key)
    return `${bytes.subarray(0, -9)} ${bytes.readBigUInt64BE(bytes.length - 8)}`
  })
  env.close()
  return { held: held.sort(), reached: [...reached].sort() }
}

describe('retained versions', () => {
  test('prove every key at every height, across restarts and crashes', async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.integer({ min: 0, max: 40 }),
        fc.array(fc.tuple(fc.nat(44), fc.boolean()), { maxLength: 3 }),
        async (blocks, keepRecent, restarts) => {
          const dir = temporaryDir()
          const chain = new ProvenChain()
          let env = new LmdbEnv(dir)
          const open = () => new LmdbCommitter(env, new CommitHasher(module), { keepRecent })
          let committer = open()
          for (const block of blocks) {
            await chain.commit(committer, block)
            const restart = restarts.find(([height]) => height === block.height)
            if (restart === undefined) continue
            // Closing the environment without its committer loses what was not flushed, as a crash does.
            await (restart[1] ? env : committer).close()
            env = new LmdbEnv(dir)
            committer = open()
            const behind = committer.version + 1
            for (const again of blocks.slice(behind, block.height + 1)) {
              await chain.commit(committer, again)
            }
          }
          const newest = blocks.length - 1
          // Nodes are only deleted by the flush that finds them below the floor: reopen with the latest flush.
          await committer.close()
          env = new LmdbEnv(dir)
          committer = open()
          await chain.verify(committer, keepRecent === 0 ? 0 : newest - keepRecent + 1)
          await committer.close()
          const { held, reached } = nodesOnDisk(dir)
          expect(held).toEqual(reached)
        },
      ),
      { numRuns: bySet(12, 60) },
    )
  }, 300_000)

  /** Commits `blocks` blocks; each writes one key. */
  async function openChain(
    options: { readonly dir: string; readonly keepRecent: number },
    blocks: number,
  ): Promise<LmdbCommitter> {
    const committer = await openCommitter({ ...options, module })
    for (let height = committer.version + 1; height < blocks; height++) {
      const written = { key: KEYS[height % 11] as Uint8Array, value: Uint8Array.of(height + 1) }
      await committer.stage(changeset(height, { modules: [{ module: 'bank', writes: [written] }] }))
      await committer.commit()
    }
    return committer
  }

  test('refuse pruned heights, future heights, unknown stores and EVM state, each with its own error', async () => {
    const dir = temporaryDir()
    await (await openChain({ dir, keepRecent: 10 }, 40)).close()
    const committer = await openChain({ dir, keepRecent: 10 }, 40)
    const key = Uint8Array.of(1)
    await expect(committer.prove('bank', key, 30)).resolves.toMatchObject({ height: 30 })
    await expect(committer.prove('bank', key, 29)).rejects.toMatchObject({
      code: 'STATE_PRUNED',
      message: 'height 29 cannot be proven any more, the oldest that can is 30',
      data: { requested: 29, earliest: 30, latest: 39 },
    })
    await expect(committer.prove('bank', key, 40)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'height 40 is in the future, the newest is 39',
    })
    await expect(committer.prove('gov', key, 39)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'no such store: gov',
      hint: 'height 39 has bank',
    })
    await expect(committer.prove('evm_lattice', key, 39)).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: 'store evm_lattice is one hash over all EVM state: it proves no single key',
    })
    await committer.close()
  })

  test('begin at the existing trees of a state commit that did not retain versions before', async () => {
    const dir = temporaryDir()
    await (await openChain({ dir, keepRecent: 1 }, 20)).close()
    const env = new LmdbEnv(dir)
    const versions = env.table('versions')
    env.write(() => {
      for (const { key } of [...versions.range({})]) versions.remove(key)
    })
    await env.close()
    const committer = await openChain({ dir, keepRecent: 100 }, 20)
    const before = await committer.prove('bank', Uint8Array.of(8), 19)
    expect(before.tree).toMatchObject({ kind: 'exist', value: Uint8Array.of(20) })
    await committer.close()
    const again = await openChain({ dir, keepRecent: 100 }, 60)
    expect(await again.prove('bank', Uint8Array.of(8), 19)).toEqual(before)
    await again.close()
  })

  test('are pruned in slices, oldest first, when the retention is lowered', async () => {
    const dir = temporaryDir()
    const blocks = 6_000
    await (await openChain({ dir, keepRecent: 0 }, blocks)).close()
    const floors: number[] = []
    for (let more = 16; more <= 64; more += 16) {
      const committer = await openChain({ dir, keepRecent: 1 }, blocks + more)
      const key = Uint8Array.of(1)
      const refused = await committer.prove('bank', key, 0).catch((error: unknown) => error)
      const { earliest } = (refused as LockstepError).data as { earliest: number }
      await expect(committer.prove('bank', key, earliest)).resolves.toMatchObject({
        height: earliest,
      })
      floors.push(earliest)
      await committer.close()
    }
    expect(floors).toEqual([...floors].sort((a, b) => a - b))
    expect(floors[0]).toBeLessThan(blocks)
    expect(floors.at(-1)).toBe(blocks + 63)
  })
})
