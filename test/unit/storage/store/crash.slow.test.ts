import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import {
  type LmdbCommitter,
  openCommitter,
} from '../../../../host/storage/commit/lmdb-committer.ts'
import type { NodeStorage } from '../../../../host/storage/store/node-storage.ts'
import { buildCommitModule } from '../../../support/engine/commit-module.ts'
import { account, address, slot, transactionHash, word } from './chain/block-records.ts'
import { crashRecord } from './crash-chain.ts'
import { openAt, temporaryDir } from './temporary-storage.ts'

const KILLS = 12

let wasm: string
let module: WebAssembly.Module

beforeAll(async () => {
  wasm = await buildCommitModule()
  module = new WebAssembly.Module(readFileSync(wasm))
})

/** Runs the writer and kills it after it has acknowledged `blocks` heights. */
async function writeUntilKilled(
  dir: string,
  split: boolean,
  blocks: number,
): Promise<[number, string][]> {
  const script = fileURLToPath(new URL('crash-writer.ts', import.meta.url))
  const writer = spawn(process.execPath, [script, dir, String(split), wasm], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  let lines = 0
  writer.stdout.on('data', (data: Buffer) => {
    output += data
    lines += data.toString().split('\n').length - 1
    if (lines >= blocks) writer.kill('SIGKILL')
  })
  const signal = await new Promise((resolve) => writer.on('close', (_, by) => resolve(by)))
  expect(signal).toBe('SIGKILL')
  const complete = output.slice(0, output.lastIndexOf('\n'))
  return complete.split('\n').map((line) => {
    const [height, hash] = line.split(' ')
    return [Number(height), String(hash)]
  })
}

/** App hashes computed from the changesets by a committer that never crashes. */
class SteadyHashes {
  readonly #committer: LmdbCommitter
  readonly #hashes: string[] = []

  constructor(committer: LmdbCommitter) {
    this.#committer = committer
  }

  async at(height: number): Promise<string> {
    while (this.#hashes.length <= height) {
      const appHash = await this.#committer.stage(crashRecord(this.#hashes.length).changeset)
      this.#hashes.push(Buffer.from(appHash).toString('hex'))
      await this.#committer.commit()
    }
    return this.#hashes[height] as string
  }
}

function expectBlocks(storage: NodeStorage, from: number): void {
  const { latest } = storage.chain
  for (let height = Math.max(0, from); height <= latest; height++) {
    const { executed } = crashRecord(height)
    expect(storage.chain.block(height)).toEqual(executed.block)
    expect(storage.chain.receipts(height)).toEqual(executed.receipts)
    if (executed.transactionHashes.length > 0) {
      expect(storage.chain.locate(transactionHash(height, 0))).toEqual({ height, index: 0 })
    }
  }
  for (let height = Math.max(storage.state.earliest, from); height <= latest; height++) {
    const changed = address((height * 13) % 400)
    expect(storage.state.view(height).account(changed)).toEqual(account(height, 0))
    expect(storage.state.legacy(slot(1), height)).toEqual(word(height))
  }
}

test.each([false, true])(
  'no acknowledged block is lost when the process is killed (split %s)',
  async (split) => {
    const dir = temporaryDir()
    const options = { evmSplit: split, keepRecent: 40, flushInterval: 3 }
    const steadyCommitter = await openCommitter({
      dir: join(temporaryDir(), 'committer.db'),
      module,
    })
    const steady = new SteadyHashes(steadyCommitter)
    let newest = -1
    for (let kill = 0; kill < KILLS / 2; kill++) {
      const acknowledged = await writeUntilKilled(dir, split, 3 + ((kill * 7) % 23))
      for (const [height, hash] of acknowledged) {
        expect(hash).toBe(await steady.at(height))
        newest = Math.max(newest, height)
      }
      const storage = await openAt(dir, options)
      const { latest } = storage.chain
      expect(latest).toBeGreaterThanOrEqual(newest)
      // At most one more block than acknowledged was being written at the kill.
      expect(latest).toBeLessThanOrEqual(newest + 1)
      expect(storage.state.latest).toBe(latest)
      expectBlocks(storage, kill === KILLS / 2 - 1 ? 0 : latest - 30)
      const committer = await openCommitter({ dir: join(dir, 'committer.db'), module })
      for (const missing of storage.changesets(committer.version + 1)) {
        await committer.stage(missing)
        await committer.commit()
      }
      expect(committer.version).toBe(latest)
      expect(Buffer.from(committer.appHash).toString('hex')).toBe(await steady.at(latest))
      await committer.close()
      await storage.close()
    }
    await steadyCommitter.close()
  },
  300_000,
)
