import type { Hex } from '../../../base/hex.ts'
import type { TransactionRow } from '../../browser/source/block-rows.ts'
import { addressText } from '../decode/format/address-text.ts'
import { countText, weiText } from '../decode/format/amount.ts'
import { Answered } from '../node/answered.tsx'
import { RecentBlocksReader } from '../node/recent-chain.ts'
import { NodeTransactionTable } from '../node/transaction-table.tsx'
import { useNodeQuery } from '../node/use-node-query.ts'
import { LongText } from '../text/long-text.tsx'

/** Limits of the search for an address's transactions: nodes have no index of them. */
const LIMITS = { blocks: 1, transactions: 2_000, looked: 500 }

/** An account's current state and its recent transactions. */
export function AddressPage({ address }: { readonly address: string }) {
  const account = useNodeQuery((reader) => reader.account(address as Hex), [address])
  const recent = useNodeQuery(
    async (reader) => {
      const chain = new RecentBlocksReader(reader, LIMITS)
      const { transactions, looked } = await chain.upTo(await reader.height())
      const isOf = ({ from, to }: TransactionRow) => from === address || to === address
      return { rows: transactions.filter(isOf), blocks: looked }
    },
    [address],
  )
  return (
    <>
      <h1 class="wrap">
        Address <span class="mono">{addressText(address as Hex)}</span>
      </h1>
      <Answered answer={account}>
        {({ balance, nonce, code }) => (
          <dl class="facts">
            <dt>Balance</dt>
            <dd>{weiText(balance)}</dd>
            <dt>Nonce</dt>
            <dd>{countText(nonce)}</dd>
            <dt>Code</dt>
            <dd>
              {code === '0x' ? (
                'none: a key account, or an unused address'
              ) : (
                <>
                  {countText((code.length - 2) / 2)} bytes{' '}
                  <LongText text={code} most={66} name="the code" />
                </>
              )}
            </dd>
          </dl>
        )}
      </Answered>
      <h2>Recent transactions</h2>
      <Answered answer={recent}>
        {({ rows, blocks }) => (
          <>
            <p class="muted">
              Those of the last {countText(blocks)} blocks that it sent or received. Older ones, and
              calls by other contracts, are not searched.
            </p>
            {rows.length === 0 ? (
              <p>None.</p>
            ) : (
              <NodeTransactionTable label="Recent transactions of the address" rows={rows} />
            )}
          </>
        )}
      </Answered>
    </>
  )
}
