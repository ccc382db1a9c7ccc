import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { type PlainError, toPlainError } from '../../../base/plain-error.ts'
import type { BlockRow } from '../../browser/source/block-rows.ts'
import { watchHeads } from '../../browser/source/head-watch.ts'
import { ErrorNotice } from '../frame/error-notice.tsx'
import type { AskedNode } from '../state/asked-node.ts'
import { useExplorer } from '../state/explorer-context.ts'
import { BlockPager } from './block-pager.tsx'
import { BlockTable } from './block-table.tsx'
import { RecentBlocksReader } from './recent-chain.ts'
import { TransactionPages } from './transaction-pages.tsx'

/** Blocks per page. */
const PAGE = 20

/** The latest blocks of a node and their transactions, updated as they arrive; older ones in pages. */
export function RecentBlocks({ node }: { readonly node: AskedNode }) {
  const { location } = useExplorer()
  const before = location.view.value.before
  const isPaused = useSignal(false)
  const head = useSignal<number | undefined>(undefined)
  const shown = useSignal<readonly BlockRow[] | undefined>(undefined)
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
  const recent = useMemo(() => new RecentBlocksReader(node.reader, PAGE), [node])
  useEffect(() => {
    if (last === undefined) return
    let isWanted = true
    recent.upTo(last).then(
      (blocks) => {
        if (isWanted) shown.value = blocks
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
        <div class="home-columns">
          <section aria-labelledby="transactions-title">
            <h2 id="transactions-title">Recent transactions</h2>
            <TransactionPages node={node} head={newest ?? 0} blocks={shown.value} />
          </section>
          <section aria-labelledby="blocks-title">
            <h2 id="blocks-title">Blocks</h2>
            <BlockPager
              head={newest ?? 0}
              last={last ?? 0}
              page={PAGE}
              isPaused={paused}
              onPause={() => {
                isPaused.value = !isPaused.value
              }}
            />
            <BlockTable rows={shown.value} />
          </section>
        </div>
      )}
    </>
  )
}
