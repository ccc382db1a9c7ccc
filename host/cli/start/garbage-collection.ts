import { setFlagsFromString } from 'node:v8'

/**
 * Has each thread collect its young objects by itself. V8 would share that among four threads of its own, which every
 * thread of the node waits for; but the node's own threads want all cores, and under load the four cost a transfer
 * 15 us of 215 (bench/chain.md).
 */
export function collectOnOwnThread(): void {
  setFlagsFromString('--no-parallel-scavenge')
}
