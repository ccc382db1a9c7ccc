import { LockstepError } from '../../base/error.ts'
import type { Listen } from './server.ts'
import { loadUws } from './uws-module.ts'
import { uwsListen } from './uws-server.ts'

/** HTTP implementation: `auto` uses uWebSockets.js if it loads. */
export type Transport = 'auto' | 'uws' | 'node'

export interface ChosenTransport {
  readonly name: 'uws' | 'node'
  readonly listen: Listen
}

/**
 * Chooses the implementation for all servers of a process.
 * @throws UNSUPPORTED if `uws` is requested and no release of it loads.
 */
export async function chooseTransport(wanted: Transport): Promise<ChosenTransport> {
  if (wanted === 'node') return nodeTransport()
  const uws = await loadUws()
  if (uws !== undefined) return { name: 'uws', listen: uwsListen(uws) }
  if (wanted === 'auto') return nodeTransport()
  throw new LockstepError('UNSUPPORTED', 'uWebSockets.js does not load on this system', {
    hint: 'use the node transport, or a system with glibc 2.38 and Node 22, 24 or 26',
  })
}

/**
 * Used by servers that handle money and keys: node:http parses requests strictly by RFC 9112, and uWebSockets.js
 * cannot be configured to. Loaded on demand: node:http and ws add some 20 ms to a start that does not need them.
 */
export async function nodeTransport(): Promise<ChosenTransport> {
  const { nodeListen } = await import('./node-server.ts')
  return { name: 'node', listen: nodeListen }
}
