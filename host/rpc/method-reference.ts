import type { Method } from './call/method.ts'
import { GETH_DIFFERENCES } from './geth-differences.ts'

function signature({ params }: Method): string {
  const names = params.map(
    ({ name, type, required }) => `${name}${required ? '' : '?'}: ${type.label}`,
  )
  return names.join(', ')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

/** The reference page of the methods, in Markdown. */
export function methodReference(methods: readonly Method[]): string {
  const rows = methods.map((method) => {
    const transports = method.transports.length > 1 ? '' : ` (${method.transports.join()} only)`
    return `| \`${method.name}\`${transports} | ${cell(signature(method))} | ${cell(method.result)} |`
  })
  return [
    '# Methods of the EVM JSON-RPC',
    '',
    'Written by `tools/gen-docs.ts` from `methods.ts`. Arguments with a question mark may be left out or null.',
    '',
    '| method | arguments | result |',
    '|---|---|---|',
    ...rows,
    '',
    '## Where answers differ from geth 1.17.10',
    '',
    'Written from `geth-differences.ts`. Words of memory and storage in struct logs have the prefix `0x`, as in execution-apis and geth 1.17.10; geth 1.17.0 has none.',
    '',
    '| where | geth | Lockstep | reason |',
    '|---|---|---|---|',
    ...Object.values(GETH_DIFFERENCES).map(
      ({ where, geth, lockstep, reason }) =>
        `| ${[where, geth, lockstep, reason].map(cell).join(' | ')} |`,
    ),
    '',
  ].join('\n')
}
