import { decodeReturn } from '../../decode/abi/decode-item.ts'
import { countText, weiText } from '../../decode/format/amount.ts'
import { timeText } from '../../decode/format/time-text.ts'
import { decodedCallOf } from '../../decode/words/call-words.ts'
import { feeOf } from '../../decode/words/fee.ts'
import { useExplorer } from '../../state/explorer-context.ts'
import type { OpenedRun } from '../../state/opened-run.ts'
import { AddressLink } from '../../text/address-link.tsx'
import { Link } from '../../text/link.tsx'
import { LongText } from '../../text/long-text.tsx'
import { ValueTable } from '../../text/value-table.tsx'

/** EIP-2718 types by name. */
const TYPES = ['legacy', 'access list', 'fee market', 'blob', 'set code'] as const

/** The transaction as signed, and its block. */
export function TransactionFacts({ run }: { readonly run: OpenedRun }) {
  const lens = useExplorer().uploads.lens.value
  const { block, transaction } = run
  const root = run.calls.value[0]
  const input = root === undefined ? undefined : decodedCallOf(root, lens)
  const outputBytes = run.summary.value?.output ?? '0x'
  const output =
    input?.kind === 'decoded' &&
    input.item.kind === 'function' &&
    run.summary.value?.success === true
      ? decodeReturn(outputBytes, input)
      : undefined
  const gasUsed = run.summary.value?.gasUsed ?? transaction.gasUsed
  const contract = run.summary.value?.contractAddress
  return (
    <section aria-labelledby="facts-title">
      <h2 id="facts-title">{run.isSimulated ? 'The call' : 'The transaction'}</h2>
      <dl class="facts">
        {!run.isSimulated && (
          <>
            <dt>Hash</dt>
            <dd class="mono">{transaction.hash}</dd>
          </>
        )}
        <dt>Block</dt>
        <dd>
          <Link to={{ page: { kind: 'block', block: `${block.number}` } }}>
            {countText(block.number)}
          </Link>
          {run.isSimulated ? '' : `, index ${transaction.index}`}, {timeText(block.timestamp)},
          rules of {block.revision}, chain {`${block.chainId}`}
        </dd>
        <dt>From</dt>
        <dd>
          <AddressLink address={transaction.from} isLong /> with nonce{' '}
          {countText(transaction.nonce)}
        </dd>
        <dt>To</dt>
        <dd>
          {transaction.to === undefined ? (
            'a new contract'
          ) : (
            <AddressLink address={transaction.to} isLong />
          )}
        </dd>
        {contract !== undefined && (
          <>
            <dt>Created</dt>
            <dd>
              <AddressLink address={contract} isLong />
            </dd>
          </>
        )}
        <dt>Value</dt>
        <dd>{weiText(transaction.value)}</dd>
        <dt>Gas</dt>
        <dd>
          {countText(gasUsed)} used of {countText(transaction.gas)}
        </dd>
        {!run.isSimulated && <SignedFacts run={run} gasUsed={gasUsed} />}
      </dl>
      <h3>Input</h3>
      {input?.kind === 'decoded' && (
        <ValueTable caption={input.item.signature} values={input.values} />
      )}
      {input?.kind === 'raw' && (
        <p class="muted">
          Not decoded: {input.why}. Drop the contract’s ABI or the compiler output on this page.
        </p>
      )}
      <p>
        <LongText text={transaction.input} name="the input" />
      </p>
      <h3>Output</h3>
      {output?.kind === 'values' && output.found.values.length > 0 && (
        <ValueTable caption="Values it returned" values={output.found.values} />
      )}
      <p>
        <LongText text={outputBytes} name="the output" />
      </p>
    </section>
  )
}

/** The fee and the type, which a call that was never sent has not. */
function SignedFacts({ run, gasUsed }: { readonly run: OpenedRun; readonly gasUsed: bigint }) {
  const { block, transaction } = run
  return (
    <>
      <dt>Fee</dt>
      <dd>{weiText(feeOf(transaction, block, gasUsed).total)}</dd>
      <dt>Maximum fee</dt>
      <dd>
        {weiText(transaction.maxFeePerGas)} per unit of gas,{' '}
        {weiText(transaction.maxPriorityFeePerGas)} of it for the block producer; the block’s base
        fee is {weiText(block.baseFee)}
      </dd>
      <dt>Type</dt>
      <dd>
        {transaction.type} ({TYPES[transaction.type]})
      </dd>
    </>
  )
}
