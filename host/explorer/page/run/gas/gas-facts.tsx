import { countText, weiText } from '../../decode/format/amount.ts'
import { feeOf, gasParts } from '../../decode/words/fee.ts'
import type { OpenedRun } from '../../state/opened-run.ts'

/** The gas of the transaction by parts, and the fee for it. */
export function GasFacts({ run }: { readonly run: OpenedRun }) {
  const summary = run.summary.value
  const [root] = run.calls.value
  if (summary === undefined || root === undefined) return null
  const { intrinsic, execution, refund, added } = gasParts(summary, root)
  const { price, total, base, priority } = feeOf(run.transaction, run.block, summary.gasUsed)
  return (
    <dl class="facts">
      <dt>Gas used</dt>
      <dd>
        {countText(summary.gasUsed)}: {countText(intrinsic)} intrinsic, before the first step, and{' '}
        {countText(execution)} for execution
        {refund > 0n && `, less a refund of ${countText(refund)}`}
        {added > 0n && `, and ${countText(added)} up to the minimum for calldata (EIP-7623)`}
      </dd>
      {!run.isSimulated && (
        <>
          <dt>Fee</dt>
          <dd>
            {weiText(total)}, at {weiText(price)} per unit of gas
            {total > 0n && `: ${weiText(base)} as base fee, ${weiText(priority)} as priority fee`}
          </dd>
        </>
      )}
    </dl>
  )
}
