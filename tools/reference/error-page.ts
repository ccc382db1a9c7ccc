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

/** Returns ERRORS.md: every error with its codes and its remedy, and the meaning of each exit code. */
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
    'Written by `tools/gen-docs.ts` from `error-table.ts`. An error that ends a command prints one line `Error:`',
    'with the value and the rule, and one line `Hint:` with the remedy below, unless the code that found the',
    'error knows a better one. An error in a JSON-RPC response has',
    "the code of the third column, which is geth's if geth has the error.",
    '',
    ...markdownTable(['Error', 'Exit code', 'JSON-RPC code', 'Remedy'], errors),
    '',
    '## Log messages',
    '',
    'The messages by which operators identify a failure, of this node and of CometBFT, most likely cause first',
    '(`failure-table.ts`). `lockstep doctor` finds them in logs.',
    '',
    ...markdownTable(['Log or message', 'Cause', 'Remedy'], failureRows()),
    '',
    '## Exit codes',
    '',
    ...markdownTable(['Code', 'Meaning'], exits),
    '',
  ].join('\n')
}
