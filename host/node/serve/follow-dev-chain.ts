import type { RpcContext } from '../../api/rpc/call/context.ts'
import type { DevChain } from '../../chain/dev/dev-chain.ts'
import type { PendingBlocks } from '../../evm/execute/pending-block.ts'

type Following = Pick<
  RpcContext,
  'chain' | 'heads' | 'traceCache' | 'filters' | 'subscriptions' | 'keccak256'
> & { readonly pendingBlocks: PendingBlocks }

/** Has what is kept for callers follow a chain that a developer changes: blocks go, the newest state is amended. */
export function followDevChain(dev: DevChain, following: Following): void {
  const { chain, heads, traceCache, filters, subscriptions, keccak256, pendingBlocks } = following
  dev.onAmend(() => pendingBlocks.forget())
  heads.onRemoval((kept) => {
    filters.cut(kept, chain, keccak256)
    const tellHead = subscriptions.cut(kept, chain)
    return () => {
      pendingBlocks.forget()
      // The same hash may come again with another state: amendments are in no header.
      traceCache.clear()
      tellHead()
    }
  })
}
