import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type PlainError, toPlainError } from '../../base/plain-error.ts'
import type { BlockRow, TransactionRow } from '../../browser/source/block-rows.ts'
import { watchHeads } from '../../browser/source/head-watch.ts'
import { useExplorer } from '../explorer-context.ts'
import { ErrorNotice } from '../frame/error-notice.tsx'
import type { AskedNode } from './asked-node.ts'
import { BlockPager } from './block-pager.tsx'
import { BlockTable } from './block-table.tsx'
import { recentTransactions } from './recent-transactions.ts'
import { TransactionTable } from './transaction-table.tsx'

/** Blocks of a page. */
const PAGE = 20

interface Shown {
  readonly head: number
  readonly blocks: readonly BlockRow[]
  readonly transactions: readonly TransactionRow[]
}

/** The newest blocks of a node and their transactions, as they come; older ones by pages. */
export function RecentBlocks({ node }: { readonly node: AskedNode }) {
  const { location } = useExplorer()
  const before = location.view.value.before
  const isPaused = useSignal(false)
  const head = useSignal<number | undefined>(undefined)
  const shown = useSignal<Shown | undefined>(undefined)
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
  useEffect(() => {
    if (last === undefined || newest === undefined) return
    let isWanted = true
    const { reader } = node
    Promise.all([
      reader.recentBlocks(PAGE, last),
      recentTransactions(reader, PAGE, () => true, last),
    ]).then(
      ([blocks, { rows }]) => {
        if (isWanted) shown.value = { head: newest, blocks, transactions: rows }
      },
      (thrown) => {
        if (isWanted) error.value = toPlainError(thrown)
      },
    )
    return () => {
      isWanted = false
    }
    // A page of older blocks does not change with the head
  }, [node, last, shown, error])
  return (
    <>
      {error.value !== undefined && <ErrorNotice error={error.value} />}
      {shown.value === undefined ? (
        error.value === undefined && <p role="status">Asking {node.reader.name}…</p>
      ) : (
        <>
          <BlockPager
            head={newest ?? shown.value.head}
            last={last ?? shown.value.head}
            page={PAGE}
            isPaused={paused}
            onPause={() => {
              isPaused.value = !isPaused.value
            }}
          />
          <div class="home-columns">
            <section aria-labelledby="transactions-title">
              <h2 id="transactions-title">Transactions of these blocks</h2>
              {shown.value.transactions.length === 0 ? (
                <p class="muted">
                  These blocks have none. Send one to {node.reader.name}, and it shows up here.
                </p>
              ) : (
                <TransactionTable
                  label="Transactions of these blocks"
                  rows={shown.value.transactions}
                />
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
