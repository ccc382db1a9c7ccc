import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chunkName } from '../../../chain/snapshot/chunk-file.ts'
import { encodeMetadata } from '../../../chain/snapshot/metadata.ts'
import { findSnapshot, listSnapshots } from '../../../chain/snapshot/snapshot-dir.ts'
import {
  CHUNK_ROUTE,
  MAX_LISTED,
  SNAPSHOTS_ROUTE,
} from '../../../chain/snapshot/sync/snapshot-offers.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../server/server.ts'

/** Expected milliseconds for a chunk of 8 MB, which is read as a whole. */
const EXPECTED_MS = 5

/** Maximum chunks that are read but not yet sent: 10 MB each. */
const MAX_AT_A_TIME = 4

const NOT_FOUND: HttpResponse = { status: 404, body: 'no such snapshot or chunk\n' }
const BUSY: HttpResponse = {
  status: 503,
  headers: { 'retry-after': '1' },
  body: 'too many chunks are being sent: try again later\n',
}

function list(folder: string): HttpResponse {
  const newest = listSnapshots(folder).slice(0, MAX_LISTED)
  const documents = newest.map(({ metadata }) => encodeMetadata(metadata).trimEnd())
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: `{"snapshots":[${documents.join(',')}]}\n`,
  }
}

async function chunk(folder: string, query: string): Promise<HttpResponse> {
  const params = new URLSearchParams(query)
  const [height = 0, index = -1] = ['height', 'index'].map((name) => {
    const text = params.get(name) ?? ''
    return /^\d{1,15}$/.test(text) ? Number(text) : undefined
  })
  const found = height > 0 ? findSnapshot(folder, height) : undefined
  if (found === undefined || !(index in found.metadata.chunks)) return NOT_FOUND
  const body = await readFile(join(found.dir, chunkName(index)))
  return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body }
}

/**
 * Serves the snapshots of a folder to nodes that start from one: `GET /lockstep_snapshots` lists the latest, and `GET
 * /lockstep_snapshot_chunk?height=H&index=N` returns a chunk as stored. All other requests go to `next`.
 */
export function withSnapshots(next: HttpHandler, folder: string): HttpHandler {
  let reading = 0
  const readChunk = async ({ query, account }: HttpRequest): Promise<HttpResponse> => {
    if (reading >= MAX_AT_A_TIME) return BUSY
    reading++
    try {
      const turn = account.yield(EXPECTED_MS)
      if (turn !== undefined) await turn
      return await chunk(folder, query)
    } catch {
      // The snapshot was deleted during the read.
      return NOT_FOUND
    } finally {
      reading--
    }
  }
  return async (request) => {
    if (request.method !== 'GET') return next(request)
    if (request.path === `/${CHUNK_ROUTE}`) return readChunk(request)
    if (request.path !== `/${SNAPSHOTS_ROUTE}`) return next(request)
    try {
      return list(folder)
    } catch {
      return { status: 500, body: 'cannot read the snapshots of this node\n' }
    }
  }
}
