import type { RpcContext } from '../../api/rpc/call/context.ts'
import type { DevChain } from '../../chain/dev/dev-chain.ts'
import type { PendingBlocks } from '../../evm/execute/pending-block.ts'

type Following = Pick<
  RpcContext,
  'chain' | 'heads' | 'traceCache' | 'filters' | 'subscriptions' | 'keccak256'
> & { readonly pendingBlocks: PendingBlocks }

/**
 * Keeps caches and client state consistent with a development chain, whose blocks are removed and whose latest state
 * is amended.
 */
export function followDevChain(dev: DevChain, following: Following): void {
  const { chain, heads, traceCache, filters, subscriptions, keccak256, pendingBlocks } = following
  dev.onAmend(() => pendingBlocks.forget())
  heads.onRemoval((kept) => {
    filters.cut(kept, chain, keccak256)
    const tellHead = subscriptions.cut(kept, chain)
    return () => {
      pendingBlocks.forget()
      // The same hash may reappear with another state, since no header covers amendments.
      traceCache.clear()
      tellHead()
    }
  })
}
