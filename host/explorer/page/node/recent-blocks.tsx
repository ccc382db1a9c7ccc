import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { type PlainError, toPlainError } from '../../../base/plain-error.ts'
import { watchHeads } from '../../browser/source/head-watch.ts'
import { countText } from '../decode/format/amount.ts'
import { ErrorNotice } from '../frame/error-notice.tsx'
import type { AskedNode } from '../state/asked-node.ts'
import { useExplorer } from '../state/explorer-context.ts'
import { BlockPager } from './block-pager.tsx'
import { BlockTable } from './block-table.tsx'
import { RecentBlocksReader, type RecentChain } from './recent-chain.ts'
import { NodeTransactionTable } from './transaction-table.tsx'

/** Blocks per page. */
const PAGE = 20
const LIMITS = { blocks: PAGE, transactions: 25, looked: 500 }

/** The latest blocks of a node and their transactions, updated as they arrive; older ones in pages. */
export function RecentBlocks({ node }: { readonly node: AskedNode }) {
  const { location } = useExplorer()
  const before = location.view.value.before
  const isPaused = useSignal(false)
  const head = useSignal<number | undefined>(undefined)
  const shown = useSignal<RecentChain | undefined>(undefined)
  const error = useSignal<PlainError | undefined>(undefined)
  const paused = isPaused.value
  useEffect(() => {
    if (paused) return
    const ended = new AbortController()
    const { reader } = node
    void watchHeads(reader, {
      signal: ended.signal,
      onHead: (height) => {
        error.value = undefined
        head.value = height
      },
      onFailure: (failure) => {
        error.value = toPlainError(failure)
      },
    })
    return () => ended.abort()
  }, [node, paused, error, head])
  const newest = head.value
  const last = newest === undefined ? undefined : Math.min(before ?? newest, newest)
  const recent = useMemo(() => new RecentBlocksReader(node.reader, LIMITS), [node])
  useEffect(() => {
    if (last === undefined) return
    let isWanted = true
    recent.upTo(last).then(
      (chain) => {
        if (isWanted) shown.value = chain
      },
      (thrown) => {
        if (isWanted) error.value = toPlainError(thrown)
      },
    )
    return () => {
      isWanted = false
    }
    // A page of older blocks does not change with the head.
  }, [recent, last, shown, error])
  return (
    <>
      {error.value !== undefined && <ErrorNotice error={error.value} />}
      {shown.value === undefined ? (
        error.value === undefined && <p role="status">Asking {node.reader.name}…</p>
      ) : (
        <>
          <BlockPager
            head={newest ?? 0}
            last={last ?? 0}
            page={PAGE}
            isPaused={paused}
            onPause={() => {
              isPaused.value = !isPaused.value
            }}
          />
          <div class="home-columns">
            <section aria-labelledby="transactions-title">
              <h2 id="transactions-title">Recent transactions</h2>
              {shown.value.transactions.length === 0 ? (
                <p class="muted">
                  None in {countText(shown.value.looked)} blocks. Send one to {node.reader.name},
                  and it shows up here.
                </p>
              ) : (
                <NodeTransactionTable label="Recent transactions" rows={shown.value.transactions} />
              )}
            </section>
            <section aria-labelledby="blocks-title">
              <h2 id="blocks-title">Blocks</h2>
              <BlockTable rows={shown.value.blocks} />
            </section>
          </div>
        </>
      )}
    </>
  )
}
