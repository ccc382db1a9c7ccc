import { ERRORS, EXITS } from '../../host/base/error-table.ts'
import { FAILURES, type FailureRow } from '../../host/base/failure-table.ts'
import { markdownTable } from './markdown-table.ts'

function failureRows(): string[][] {
  const rows: readonly FailureRow[] = Object.values(FAILURES)
  const texts = new Map(Object.entries(FAILURES).map(([name, { text }]) => [name, text]))
  return rows.map(({ text, cause, remedy, symptomOf }) => {
    const first = symptomOf === undefined ? '' : `; often follows from "${texts.get(symptomOf)}"`
    return [`\`${text}\``, `${cause}${first}`, remedy]
  })
}

/** ERRORS.md: every error with its codes and its remedy, and what each exit code means. */
export function errorPage(): string {
  const errors = Object.entries(ERRORS).map(([code, { exit, rpc, remedy }]) => [
    `\`${code}\``,
    `${exit}`,
    `${rpc}`,
    remedy,
  ])
  const exits = Object.entries(EXITS).map(([code, meaning]) => [code, meaning])
  return [
    '# Errors',
    '',
    'Written by `tools/gen-docs.ts` from `error-table.ts`. An error that ends a command is one line `Error:`,',
    'which names the value and the rule, and one line `Hint:`, which says what to do: the remedy below,',
    'unless the place that found the error knows a better one. An error that answers a JSON-RPC request has',
    "the code of the third column, which is geth's where geth has the error.",
    '',
    ...markdownTable(['Error', 'Exit code', 'JSON-RPC code', 'Remedy'], errors),
    '',
    '## What nodes write',
    '',
    'The texts by which operators know what is wrong, of this node and of CometBFT, in the order in which their',
    'causes are looked for (`failure-table.ts`). `lockstep doctor` finds them in logs.',
    '',
    ...markdownTable(['Log or message', 'Cause', 'Remedy'], failureRows()),
    '',
    '## Exit codes',
    '',
    ...markdownTable(['Code', 'Meaning'], exits),
    '',
  ].join('\n')
}
