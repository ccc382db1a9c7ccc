import type { Hex } from '../../base/hex.ts'
import { addressText } from '../decode/format/address-text.ts'
import { countText, weiText } from '../decode/format/amount.ts'
import { Answered } from '../node/answered.tsx'
import { recentTransactions } from '../node/recent-transactions.ts'
import { TransactionTable } from '../node/transaction-table.tsx'
import { useNodeAnswer } from '../node/use-node-answer.ts'
import { LongText } from '../text/long-text.tsx'

/** Blocks that are looked through for transactions of an address: a node has no index of them. */
const BLOCKS = 100

/** An account as it stands, and what it did lately. */
export function AddressPage({ address }: { readonly address: string }) {
  const account = useNodeAnswer((reader) => reader.account(address as Hex), [address])
  const recent = useNodeAnswer(
    (reader) =>
      recentTransactions(reader, BLOCKS, ({ from, to }) => from === address || to === address),
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
                'none: an account of a key, or one that nobody has used'
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
              Those of the last {countText(blocks)} blocks that it sent or that were sent to it.
              Older ones, and calls of other contracts, are not looked for.
            </p>
            {rows.length === 0 ? (
              <p>None.</p>
            ) : (
              <TransactionTable label="Recent transactions of the address" rows={rows} />
            )}
          </>
        )}
      </Answered>
    </>
  )
}
