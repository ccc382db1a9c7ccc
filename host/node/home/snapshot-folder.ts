import { resolve } from 'node:path'
import type { Config } from '../../config/schema.ts'
import type { Home } from './home.ts'

/** Where the snapshots of a home lie. */
export function snapshotFolder(home: Home, { stateSync }: Config): string {
  const { snapshotDirectory } = stateSync
  return snapshotDirectory === '' ? home.data.snapshots : resolve(home.root, snapshotDirectory)
}
