import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Config } from '../../base/config/schema.ts'
import { messageOf } from '../../base/error.ts'
import { readSignState } from '../../chain/consensus/validator/sign-state.ts'
import { completeHeights, snapshotDir } from '../../chain/snapshot/snapshot-dir.ts'
import { verifyCommit } from '../../storage/commit/commit-verification.ts'
import { generalDir, servedBy } from '../../storage/store/backend-choice.ts'
import { listedSegments } from '../../storage/store/segment/segment-database.ts'
import { databasesIn } from '../../storage/store/state/split.ts'
import {
  type StoreCheck,
  verifyAddressIndex,
  verifyChain,
  verifyEnvironment,
  verifySegment,
} from '../../storage/store/verification.ts'
import { verifyWal } from '../../storage/store/wal/wal-opening.ts'
import { openHasher } from '../commit-hasher.ts'
import type { Home } from '../home/home.ts'
import { snapshotFolder } from '../home/home.ts'
import { bytesAt } from './bytes-at.ts'
import { verifyDir } from './home-snapshots.ts'

/** Verification result for one part of a home. */
export interface VerifiedPart {
  /** Path relative to the home. */
  readonly path: string
  /** Rows read; undefined if the part has no rows. */
  readonly rows: number | undefined
  readonly bytes: number
  /** Descriptions of the faults; empty if there are none. */
  readonly findings: readonly string[]
  /** Reason why the part was not read. */
  readonly skipped?: string
}

/** RocksDB files need a package that may not be installed. */
const ROCKSDB = 'RocksDB is not read here; it verifies its own checksums when the node reads'

/** Maximum findings reported per part: a lost index would report each row. */
const MOST_FINDINGS = 20

/**
 * Reads everything that a home has on disk, and verifies checksums and consistency between parts. Changes nothing.
 * The caller holds the home's lock.
 * @param onPart called with each part after it was read
 */
export async function verifyHome(
  home: Home,
  config: Config,
  onPart: (part: VerifiedPart) => void,
): Promise<void> {
  const data = home.data.directory
  /** Checks a part in one or more passes; a pass runs only if the previous one found nothing. */
  const check = async (
    path: string,
    ...looks: readonly (() => StoreCheck | Promise<StoreCheck>)[]
  ): Promise<boolean> => {
    let rows: number | undefined
    const findings: string[] = []
    try {
      for (const look of looks) {
        const checked = await look()
        rows ??= checked.rows
        for (const finding of checked.findings ?? []) {
          findings.push(finding)
          if (findings.length === MOST_FINDINGS) break
        }
        if (findings.length > 0) break
      }
    } catch (thrown) {
      findings.push(messageOf(thrown))
    }
    onPart({ path: relative(home.root, path), rows, bytes: bytesAt(path), findings })
    return findings.length === 0
  }
  const environment = (
    dir: string,
    ...looks: readonly (() => StoreCheck | Promise<StoreCheck>)[]
  ): Promise<boolean> => check(dir, () => verifyEnvironment(dir), ...looks)

  const { ssBackend } = config.stateStore
  const general = generalDir(data, ssBackend)
  for (const { dir } of [
    ...databasesIn(general, 'general'),
    ...databasesIn(home.data.evmState, 'evm'),
  ]) {
    if (servedBy(ssBackend) === 'rocksdb' && existsSync(dir)) {
      onPart({
        path: relative(home.root, dir),
        rows: undefined,
        bytes: bytesAt(dir),
        findings: [],
        skipped: ROCKSDB,
      })
      continue
    }
    if (!existsSync(join(dir, 'data.mdb'))) continue
    if (!(await environment(dir))) continue
    for (const path of await listedSegments(dir)) await check(path, () => verifySegment(path))
  }
  const chain = ['chain.db', 'tx_index.db', 'log_index.db'].map((name) => join(data, name))
  const [blocks = '', ...indexes] = chain
  const areWhole = []
  for (const dir of indexes) areWhole.push(await environment(dir))
  const isComparable = areWhole.every(Boolean)
  // Compared with its indexes.
  await environment(
    blocks,
    ...(isComparable ? [() => verifyChain(chain as [string, string, string])] : []),
  )
  const { stateCommit } = home.data
  await environment(stateCommit, async () => verifyCommit(stateCommit, await openHasher()))
  await environment(join(data, 'blockstore.db'))
  await environment(join(data, 'event_index.db'))
  const addresses = join(data, 'address_index.db')
  await environment(addresses, () => verifyAddressIndex(addresses))
  await check(join(data, 'wal'), () => verifyWal(join(data, 'wal')))
  await check(home.data.validatorState, async () => {
    if (existsSync(home.data.validatorState)) await readSignState(home.data.validatorState)
    return {}
  })
  const snapshots = snapshotFolder(home, config)
  for (const height of completeHeights(snapshots)) {
    const dir = snapshotDir(snapshots, height)
    await check(dir, async () => {
      await verifyDir({ home, config }, dir, () => {})
      return {}
    })
  }
}
