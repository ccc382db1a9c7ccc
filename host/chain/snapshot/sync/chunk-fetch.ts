import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { LockstepError } from '../../../base/error.ts'
import type { RpcServer } from '../../consensus/follow/rpc-server.ts'
import { writeFileAtomic } from '../../consensus/validator/atomic-file.ts'
import { type ChunkMetadata, encodeMetadata } from '../metadata.ts'
import { holdsChunk, isChunk, storeChunk } from '../received-chunk.ts'
import { CHUNK_ROUTE, type ServedSnapshot } from './snapshot-offers.ts'

/** Chunks in flight, as CometBFT's `fetchers`. */
const FETCHERS = 2

export interface ChunkFetchOptions {
  readonly offer: ServedSnapshot
  /** Folder that becomes the snapshot. */
  readonly dir: string
  /** Called if a server returned a wrong chunk or none. */
  readonly punish: (server: RpcServer, thrown: unknown) => void
  /** Returns false for a server that must not be asked any more. */
  readonly isUsable: (server: RpcServer) => boolean
  readonly onChunk: (there: number, of: number) => void
  readonly signal: AbortSignal
}

/**
 * Fetches the missing chunks of a snapshot, each from a server that returns it intact.
 * @throws NODE_UNREACHABLE if no server is left, STORE_FULL
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
  // Rotate the servers to spread the load.
  const order = servers.map((_, i) => servers[(index + i) % servers.length] as RpcServer)
  for (const server of order) {
    if (!isUsable(server)) continue
    try {
      const path = `${CHUNK_ROUTE}?height=${metadata.height}&index=${index}`
      const bytes = await server.get(path, chunk.size)
      if (!isChunk(bytes, chunk)) throw server.invalid(`chunk ${index} differs from the one listed`)
      return await storeChunk(dir, index, bytes)
    } catch (thrown) {
      signal.throwIfAborted()
      if (!(thrown instanceof LockstepError) || thrown.code.startsWith('STORE_')) throw thrown
      punish(server, thrown)
    }
  }
  throw new LockstepError(
    'NODE_UNREACHABLE',
    `no server returns chunk ${index} of the snapshot of height ${metadata.height}`,
  )
}
