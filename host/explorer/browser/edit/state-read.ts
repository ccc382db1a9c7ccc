import type { Need } from '../../../evm/engine/need.ts'
import type { AsyncStateView } from '../../../evm/state/view.ts'

/** A request for a value of a state. */
export type BundleStateRead = Exclude<Need, { kind: 'host' | 'yield' }>

/** Returns a state's answer to a read, as bytes that the caller owns. */
export async function readStateValue(
  read: BundleStateRead,
  view: AsyncStateView,
): Promise<Uint8Array | undefined> {
  switch (read.kind) {
    case 'account':
      return (await view.account(read.address))?.slice()
    case 'storage':
      return (await view.storage(read.address, read.slot))?.slice()
    case 'code':
      return (await view.code(read.codeHash)).slice()
    case 'blockHash':
      return (await view.blockHash(read.number))?.slice()
  }
}

/** Returns a state whose reads are answered by `ask`. */
export function askingView(
  ask: (read: BundleStateRead) => Promise<Uint8Array | undefined>,
): AsyncStateView {
  return {
    account: (address) => ask({ kind: 'account', address }),
    storage: (address, slot) => ask({ kind: 'storage', address, slot }),
    code: async (codeHash) => (await ask({ kind: 'code', codeHash })) ?? new Uint8Array(),
    blockHash: (number) => ask({ kind: 'blockHash', number }),
  }
}
