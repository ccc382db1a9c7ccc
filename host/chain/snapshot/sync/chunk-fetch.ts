import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError } from '../../../base/error.ts'
import type { RpcServer } from '../../consensus/follow/rpc-server.ts'
import { writeFileAtomic } from '../../consensus/validator/atomic-file.ts'
import { holdsChunk, isChunk, keepChunk } from '../arriving-chunk.ts'
import { type ChunkMetadata, encodeMetadata } from '../metadata.ts'
import { CHUNK_ROUTE, type Offer } from './snapshot-offers.ts'

/** Chunks on their way at a time: CometBFT's `fetchers`. */
const FETCHERS = 2

export interface ChunkFetchOptions {
  readonly offer: Offer
  /** The folder that becomes the snapshot. */
  readonly dir: string
  /** A server gave bytes that are not the chunk, or none at all. */
  readonly punish: (server: RpcServer, thrown: unknown) => void
  /** False for a server that is asked no more. */
  readonly isUsable: (server: RpcServer) => boolean
  readonly onChunk: (there: number, of: number) => void
  readonly signal: AbortSignal
}

/**
 * Fetches the chunks of a snapshot that are not there yet, each from a server that gives it whole.
 * @throws NODE_UNREACHABLE where no server is left, STORE_FULL
 */
export async function fetchChunks(options: ChunkFetchOptions): Promise<void> {
  const { offer, dir, onChunk, signal } = options
  const { metadata } = offer
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  await writeFileAtomic(join(dir, 'metadata.json'), encodeMetadata(metadata))
  const { chunks } = metadata
  let next = 0
  let there = 0
  const fetchOn = async (): Promise<void> => {
    for (let index = next++; index < chunks.length; index = next++) {
      signal.throwIfAborted()
      const chunk = chunks[index] as ChunkMetadata
      if (!(await holdsChunk(dir, index, chunk))) await fetchChunk(options, index, chunk)
      onChunk(++there, chunks.length)
    }
  }
  await Promise.all(Array.from({ length: FETCHERS }, fetchOn))
}

async function fetchChunk(
  { offer, dir, punish, isUsable, signal }: ChunkFetchOptions,
  index: number,
  chunk: ChunkMetadata,
): Promise<void> {
  const { metadata, servers } = offer
  // Each chunk begins with another server, so that all of them are of use.
  const order = servers.map((_, i) => servers[(index + i) % servers.length] as RpcServer)
  for (const server of order) {
    if (!isUsable(server)) continue
    try {
      const path = `${CHUNK_ROUTE}?height=${metadata.height}&index=${index}`
      const bytes = await server.get(path, chunk.size)
      if (!isChunk(bytes, chunk)) throw server.invalid(`chunk ${index} is not what was listed`)
      return await keepChunk(dir, index, bytes)
    } catch (thrown) {
      signal.throwIfAborted()
      if (!(thrown instanceof LockstepError) || thrown.code.startsWith('STORE_')) throw thrown
      punish(server, thrown)
    }
  }
  throw new LockstepError(
    'NODE_UNREACHABLE',
    `no server gives chunk ${index} of the snapshot of height ${metadata.height}`,
  )
}
