import { LockstepError } from '../../base/error.ts'
import type { Listen } from './server.ts'
import { loadUws } from './uws-module.ts'
import { uwsListen } from './uws-server.ts'

/** Which implementation serves: `auto` takes uWebSockets.js where it loads. */
export type Transport = 'auto' | 'uws' | 'node'

export interface ChosenTransport {
  readonly name: 'uws' | 'node'
  readonly listen: Listen
}

/**
 * Picks the implementation once for all servers of a process.
 * @throws UNSUPPORTED when `uws` is asked for and no release of it loads here.
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
 * What serves money and keys: node:http reads every request as RFC 9112 has it, which uWebSockets.js cannot be made to.
 * Loaded here alone: node:http and ws take some 20 ms of a start that needs neither. */
export async function nodeTransport(): Promise<ChosenTransport> {
  const { nodeListen } = await import('./node-server.ts')
  return { name: 'node', listen: nodeListen }
}
