import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Segment } from '../table/segment.ts'
import { AddressStore } from './address/address-store.ts'
import { chainInconsistencies } from './chain/chain-verification.ts'
import { LmdbChainStore } from './chain/lmdb-chain-store.ts'
import { checkEnvironment } from './lmdb/lmdb-check.ts'
import { MarkedEnv } from './lmdb/marked-env.ts'

/** The result of reading one part of a store. */
export interface StoreCheck {
  readonly rows?: number
  /** Descriptions of what is wrong. */
  readonly findings?: Iterable<string>
}

/** Reads all rows of an LMDB environment, if there is one. */
export function verifyEnvironment(dir: string): StoreCheck {
  const tables = checkEnvironment(dir)
  return tables === undefined ? {} : { rows: tables.reduce((sum, { rows }) => sum + rows, 0) }
}

/** Reads all rows of a segment and checks the checksums of its blocks. */
export function verifySegment(path: string): StoreCheck {
  const segment = Segment.open(path)
  const cursor = segment.cursor()
  let rows = 0
  try {
    while (cursor.next()) rows++
  } finally {
    cursor.close()
    segment.release()
  }
  const stated = segment.summary.rows
  return {
    rows,
    findings: rows === stated ? [] : [`it has ${rows} rows, its footer says ${stated}`],
  }
}

/** Compares the rows of the address index with the records of its blocks, if there is one. */
export async function verifyAddressIndex(dir: string): Promise<StoreCheck> {
  if (!existsSync(join(dir, 'data.mdb'))) return {}
  const store = new AddressStore(dir, { isShared: true })
  try {
    return { findings: [...store.inconsistencies()] }
  } finally {
    await store.close()
  }
}

/** Compares blocks, transaction index and log index, by their folders, with one another. */
export async function verifyChain(
  dirs: readonly [blocks: string, transactions: string, logs: string],
): Promise<StoreCheck> {
  if (!dirs.every((dir) => existsSync(join(dir, 'data.mdb')))) return {}
  const envs = dirs.map((dir) => new MarkedEnv(dir, { isShared: true }))
  try {
    const [blocks, transactions, logs] = envs as [MarkedEnv, MarkedEnv, MarkedEnv]
    const chain = new LmdbChainStore(blocks, transactions, logs)
    return { rows: chain.latest - chain.earliest + 1, findings: [...chainInconsistencies(chain)] }
  } finally {
    for (const env of envs) await env.close()
  }
}
