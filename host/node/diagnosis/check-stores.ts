import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { equalBytes } from '../../base/bytes.ts'
import { ERRORS } from '../../base/error-table.ts'
import { FAILURES } from '../../base/failure-table.ts'
import { hexDigits } from '../../base/hex.ts'
import { APP_HASH_KEY, readMarkerWord, VERSION_KEY } from '../../storage/commit/commit-markers.ts'
import { generalDir, servedBy } from '../../storage/store/backend-choice.ts'
import { decodeHeight, encodeHeight } from '../../storage/store/codec/ordered-key.ts'
import { databasesIn } from '../../storage/store/state/split.ts'
import { verifyWal } from '../../storage/store/wal/wal-opening.ts'
import { thrownFinding } from './check-home.ts'
import { type Finding, fault } from './finding.ts'
import { type HomeFacts, headerAt, peek } from './home-facts.ts'

/** Returns the latest height marked in an environment; undefined if it does not exist. @throws STORE_CORRUPTED */
export function markerOf(dir: string, name: string, isRunning: boolean): number | undefined {
  return peek(dir, isRunning, (env) => {
    const height = env.get('markers', Buffer.from(name))
    return height === undefined ? undefined : decodeHeight(height)
  })
}

/** Reads a part of the home; an unreadable one becomes a finding and yields undefined. */
function tryRead<Result>(findings: Finding[], read: () => Result): Result | undefined {
  try {
    return read()
  } catch (thrown) {
    findings.push(thrownFinding('store', thrown))
    return undefined
  }
}

/**
 * Opens each store to validate it, and compares heights and app hash: what a start would refuse. Rows are not read;
 * `lockstep debug verify-db` does that.
 */
export function checkStores(facts: HomeFacts): readonly Finding[] {
  const { home, inspected, process: pid, isImported, isUnderComet } = facts
  const { directory, stateCommit, evmState } = home.data
  const isRunning = pid !== undefined
  const findings: Finding[] = []
  if (!existsSync(directory)) return findings
  const { ssBackend } = inspected.config.stateStore
  const read = <Result>(work: () => Result): Result | undefined => tryRead(findings, work)
  const marker = (name: string): number | undefined =>
    read(() => markerOf(join(directory, name), 'latest', isRunning))

  if (servedBy(ssBackend) === 'lmdb') {
    for (const { dir } of [
      ...databasesIn(generalDir(directory, ssBackend), 'general'),
      ...databasesIn(evmState, 'evm'),
    ]) {
      read(() => markerOf(dir, 'latest', isRunning))
    }
  }
  const chain = marker('chain.db')
  for (const index of ['tx_index.db', 'log_index.db']) marker(index)
  if (!isRunning) {
    const wal = read(() => verifyWal(join(directory, 'wal')))
    for (const finding of wal?.findings ?? []) {
      const { text, remedy } = FAILURES.DATABASE_CORRUPTED
      findings.push(fault('store', `${text}: ${finding}`, remedy))
    }
  }
  // CometBFT itself checks at its start whether its blocks match the state.
  if (isImported || isUnderComet) return findings
  const commit = read(() =>
    peek(stateCommit, isRunning, (env) => {
      const version = env.get('markers', VERSION_KEY)
      const appHash = env.get('markers', APP_HASH_KEY)
      if (version === undefined || appHash === undefined) return undefined
      return { version: readMarkerWord(version, 0), appHash }
    }),
  )
  const blockStore = join(directory, 'blockstore.db')
  const decided = read(() =>
    peek(blockStore, isRunning, (env) => {
      const last = env.last('commits')
      return last === undefined ? undefined : decodeHeight(last.key)
    }),
  )
  if (isRunning || findings.length > 0) return findings
  const restore = ERRORS.STORE_CORRUPTED.remedy
  const below = (path: string): string => relative(home.root, path)
  if (chain !== undefined && decided !== undefined && chain > decided) {
    findings.push(
      fault(
        'store',
        `data/chain.db is at height ${chain}, ahead of the blocks of ${below(blockStore)} at ${decided}`,
        restore,
      ),
    )
  }
  if (commit === undefined || commit.version < 1) return findings
  if (decided === undefined || commit.version > decided) {
    findings.push(
      fault(
        'store',
        `${below(stateCommit)} is at height ${commit.version}, ahead of the blocks of ` +
          `${below(blockStore)} at ${decided ?? 'none'}`,
        restore,
      ),
    )
    return findings
  }
  const { version, appHash } = commit
  const stated = read(() =>
    peek(blockStore, isRunning, (env) => {
      return headerAt(env, version + 1)?.appHash ?? env.get('app_hashes', encodeHeight(version))
    }),
  )
  if (stated !== undefined && !equalBytes(stated, appHash)) {
    const [want, got] = [appHash, stated].map((hash) => hexDigits(hash).toUpperCase())
    findings.push(
      fault(
        'app hash',
        `wrong Block.Header.AppHash. Expected ${want}, got ${got} (height ${version + 1})`,
        FAILURES.APP_HASH.remedy,
      ),
    )
  }
  return findings
}
