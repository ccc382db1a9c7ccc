import type { Method } from '../../host/rpc/call/method.ts'
import { GETH_DIFFERENCES } from '../../host/rpc/geth-differences.ts'
import { METHODS } from '../../host/rpc/methods.ts'
import { markdownTable } from './markdown-table.ts'

function signature({ params }: Method): string {
  const names = params.map(
    ({ name, type, required }) => `${name}${required ? '' : '?'}: ${type.label}`,
  )
  return names.join(', ')
}

/** METHODS.md: every method of the EVM JSON-RPC, and where answers differ from geth's on purpose. */
export function methodPage(): string {
  const methods = METHODS.map((method) => {
    const transports = method.transports.length > 1 ? '' : ` (${method.transports.join()} only)`
    return [`\`${method.name}\`${transports}`, signature(method), method.result]
  })
  const differences = Object.values(GETH_DIFFERENCES).map(({ where, geth, lockstep, reason }) => [
    where,
    geth,
    lockstep,
    reason,
  ])
  return [
    '# Methods of the EVM JSON-RPC',
    '',
    'Written by `tools/gen-docs.ts` from `methods.ts`. Arguments with a question mark may be left out or null.',
    '',
    ...markdownTable(['method', 'arguments', 'result'], methods),
    '',
    '## Where answers differ from geth 1.17.10',
    '',
    'Written from `geth-differences.ts`. Words of memory and storage in struct logs have the prefix `0x`, as in execution-apis and geth 1.17.10; geth 1.17.0 has none.',
    '',
    ...markdownTable(['where', 'geth', 'Lockstep', 'reason'], differences),
    '',
  ].join('\n')
}
