import type { Hex } from '../../../base/hex.ts'
import { hasFailed, type MinedRow } from '../../browser/source/block-rows.ts'
import type { NodeReader } from '../../browser/source/node-reader.ts'
import { transactionsUpTo } from '../../browser/source/transaction-history.ts'
import { countText } from '../decode/format/amount.ts'
import { safeText } from '../decode/format/safe-text.ts'
import { useExplorer } from '../state/explorer-context.ts'
import { Answered } from './answered.tsx'
import { FailedFilter } from './failed-filter.tsx'
import { NodeTransactionTable } from './transaction-table.tsx'
import { useNodeQuery } from './use-node-query.ts'

/** A page of an address's transactions. */
interface AddressPage {
  readonly rows: readonly MinedRow[]
  /** The block below which older ones are; undefined if there are none. */
  readonly older: number | undefined
  /** Why the node's index was not used; undefined if it was. */
  readonly why: string | undefined
  readonly from: number
}

const ENOUGH = 25

/** The transactions of an address, from the node's index; without one, those that it sent or received directly. */
export function AddressTransactions({ address }: { readonly address: Hex }) {
  const { location } = useExplorer()
  const { older, show } = location.view.value
  const isFailed = show === 'failed'
  const answer = useNodeQuery((reader) => readPage(reader, address, older), [address, older])
  return (
    <Answered answer={answer}>
      {(page) => {
        const rows = isFailed ? page.rows.filter(hasFailed) : page.rows
        return (
          <>
            <nav class="buttons" aria-label="Pages of transactions">
              <button
                type="button"
                class="button"
                disabled={older === undefined}
                onClick={() => location.set({ older: undefined }, 'push')}
              >
                Latest
              </button>
              <button
                type="button"
                class="button"
                disabled={page.older === undefined}
                onClick={() => location.set({ older: page.older }, 'push')}
              >
                Older
              </button>
              <FailedFilter />
              <span class="muted">
                {countText(page.rows.length)} on this page,{' '}
                {countText(page.rows.filter(hasFailed).length)} failed
              </span>
            </nav>
            {page.why !== undefined && <WithoutIndex page={page} />}
            {rows.length === 0 ? (
              <p class="muted">{isFailed ? 'None of this page failed.' : 'None.'}</p>
            ) : (
              <NodeTransactionTable label="Transactions of the address" rows={rows} />
            )}
          </>
        )
      }}
    </Answered>
  )
}

function WithoutIndex({ page: { why = '', from } }: { readonly page: AddressPage }) {
  return (
    <p class="notice">
      Only transactions that it sent or received directly, down to block {countText(from)}: the node
      has no index by address ({safeText(why)}). Lockstep keeps one with{' '}
      <code>evm.address_index = true</code> in app.toml or{' '}
      <code>LOCKSTEP_EVM_ADDRESS_INDEX=true</code> in its environment.
    </p>
  )
}

async function readPage(
  reader: NodeReader,
  address: Hex,
  older: number | undefined,
): Promise<AddressPage> {
  const height = await reader.height()
  // Block 0 means the head in ots_searchTransactionsBefore.
  const before = older === undefined || older >= height ? 0 : older + 1
  const found = await reader.searchedTransactions(address, before, ENOUGH)
  if (found.kind === 'page') {
    const lowest = found.rows.at(-1)?.blockNumber
    const isEnd = found.isLast || lowest === undefined || lowest === 0
    const next = isEnd ? undefined : lowest - 1
    return { rows: found.rows, older: next, why: undefined, from: lowest ?? 0 }
  }
  const accepts = ({ from, to, receipt }: MinedRow) =>
    from === address || to === address || receipt?.contractAddress === address
  const { rows, from } = await transactionsUpTo(reader, older ?? height, {
    enough: ENOUGH,
    accepts,
  })
  return { rows, older: from === 0 ? undefined : from - 1, why: found.why, from }
}
