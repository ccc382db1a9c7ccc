import { ERROR_TEXTS, INVALID_REASONS } from '../../host/payments/protocol/invalid-reason.ts'
import { markdownTable } from './markdown-table.ts'

/** Returns REASONS.md: why a payment is refused, and with which response. */
export function reasonPage(): string {
  const rows = Object.entries(INVALID_REASONS).map(([reason, { error, means }]) => [
    `\`${reason}\``,
    error === 'unavailable' ? '503' : '402',
    ERROR_TEXTS[error],
    means,
  ])
  return [
    '# Why a payment is refused',
    '',
    'Written by `tools/gen-docs.ts` from `protocol/invalid-reason.ts`. The answer to a proof that is not accepted is a',
    'challenge with `error`, `invalidReason` and `detail`, which names the value and the rule. The header',
    '`PAYMENT-REQUIRED` has the reason in its `error`. A 503 has no challenge: the proof is as good as before, and may',
    'be shown again.',
    '',
    ...markdownTable(['`invalidReason`', 'Status', '`error`', 'Meaning'], rows),
    '',
  ].join('\n')
}
