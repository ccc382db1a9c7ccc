import type { Signal } from '@preact/signals'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { toPlainError } from '../../../base/plain-error.ts'
import { type BlockRow, hasFailed } from '../../browser/source/block-rows.ts'
import {
  type HistoryPage,
  lastOfNewer,
  transactionsUpTo,
} from '../../browser/source/transaction-history.ts'
import { countText } from '../decode/format/amount.ts'
import { ErrorNotice } from '../frame/error-notice.tsx'
import type { AskedNode } from '../state/asked-node.ts'
import { useExplorer } from '../state/explorer-context.ts'
import { FailedFilter } from './failed-filter.tsx'
import { NodeTransactionTable } from './transaction-table.tsx'
import type { NodeQueryState } from './use-node-query.ts'

interface Props {
  readonly node: AskedNode
  readonly head: number
  /** The latest blocks: the first page is read again only if their transactions change. */
  readonly blocks: readonly BlockRow[]
}

const ENOUGH = 25

/** The latest transactions of a node, in pages of whole blocks. Empty blocks are skipped. */
export function TransactionPages({ node, head, blocks }: Props) {
  const { location } = useExplorer()
  const { older, show } = location.view.value
  const page = useSignal<NodeQueryState<HistoryPage>>({ kind: 'asking' })
  const isFailed = show === 'failed'
  const isLive = older === undefined || older >= head
  const last = isLive ? head : older
  const filled = blocks.filter(({ transactionCount }) => transactionCount > 0)
  const key = isLive ? filled.map(({ hash }) => hash).join() : `${older}`
  const accepts = isFailed ? hasFailed : undefined
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    answerWith(
      page,
      signal,
      transactionsUpTo(node.reader, last, { enough: ENOUGH, accepts, signal }),
    )
    return () => ended.abort()
  }, [node, key, isFailed, page])
  const state = page.value
  const shown = state.kind === 'answered' ? state.value : undefined
  const newer = async () => {
    if (shown === undefined) return
    const options = { enough: ENOUGH, accepts }
    const top = await lastOfNewer(node.reader, shown.last, head, options)
    location.set({ older: top >= head ? undefined : top }, 'push')
  }
  return (
    <>
      <nav class="buttons" aria-label="Pages of transactions">
        <button
          type="button"
          class="button"
          disabled={isLive}
          onClick={() => location.set({ older: undefined }, 'push')}
        >
          Latest
        </button>
        <button
          type="button"
          class="button"
          disabled={isLive}
          onClick={() => {
            newer().catch((thrown) => {
              page.value = { kind: 'failed', error: toPlainError(thrown) }
            })
          }}
        >
          Newer
        </button>
        <button
          type="button"
          class="button"
          disabled={shown === undefined || shown.from === 0}
          onClick={() => location.set({ older: (shown?.from ?? 1) - 1 }, 'push')}
        >
          Older
        </button>
        <FailedFilter />
        {shown !== undefined && (
          <span class="muted">
            {countText(shown.rows.length)} of blocks {countText(shown.from)} to{' '}
            {countText(isLive ? head : shown.last)}
          </span>
        )}
      </nav>
      {state.kind === 'failed' && <ErrorNotice error={state.error} />}
      {state.kind === 'asking' && <p role="status">Searching transactions…</p>}
      {shown !== undefined &&
        (shown.rows.length > 0 ? (
          <NodeTransactionTable label="Recent transactions" rows={shown.rows} />
        ) : (
          <p class="muted">{noneText(shown, isFailed, node.reader.name)}</p>
        ))}
    </>
  )
}

function noneText({ from }: HistoryPage, isFailed: boolean, name: string): string {
  const what = isFailed ? 'failed transaction' : 'transaction'
  if (from > 0) return `No ${what} down to block ${countText(from)}. “Older” searches further back.`
  return isFailed
    ? 'No transaction has failed.'
    : `The chain has no transaction yet. Send one to ${name}, and it shows up here.`
}

/** Keeps what is shown until there is an answer. */
function answerWith(
  page: Signal<NodeQueryState<HistoryPage>>,
  signal: AbortSignal,
  answer: Promise<HistoryPage>,
): void {
  answer.then(
    (value) => {
      if (!signal.aborted) page.value = { kind: 'answered', value }
    },
    (thrown) => {
      if (!signal.aborted) page.value = { kind: 'failed', error: toPlainError(thrown) }
    },
  )
}
