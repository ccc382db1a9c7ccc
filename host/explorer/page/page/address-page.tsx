import type { Hex } from '../../../base/hex.ts'
import { ReadContract } from '../call/read-contract.tsx'
import { addressText } from '../decode/format/address-text.ts'
import { countText, weiText } from '../decode/format/amount.ts'
import { AddressTransactions } from '../node/address-transactions.tsx'
import { Answered } from '../node/answered.tsx'
import { useNodeQuery } from '../node/use-node-query.ts'
import { AddressLink } from '../text/address-link.tsx'
import { Link } from '../text/link.tsx'
import { LongText } from '../text/long-text.tsx'

/** An account's current state, its creation, what its functions return, and its transactions. */
export function AddressPage({ address }: { readonly address: string }) {
  const account = useNodeQuery((reader) => reader.account(address as Hex), [address])
  const creation = useNodeQuery((reader) => reader.contractCreator(address as Hex), [address])
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
      <Answered answer={creation}>
        {(created) =>
          created && (
            <p>
              Created by <AddressLink address={created.creator} /> in transaction{' '}
              <Link class="mono wrap" to={{ page: { kind: 'tx', hash: created.hash } }}>
                {created.hash}
              </Link>
            </p>
          )
        }
      </Answered>
      <p>
        <Link to={{ page: { kind: 'call', to: address } }}>
          Simulate or send a call of this address
        </Link>
      </p>
      <ReadContract address={address} />
      <h2>Transactions</h2>
      <AddressTransactions address={address as Hex} />
    </>
  )
}
