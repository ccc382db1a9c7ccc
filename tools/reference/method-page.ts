import { ANVIL_DIFFERENCES } from '../../host/api/rpc/anvil-differences.ts'
import type { Method } from '../../host/api/rpc/call/method.ts'
import { GETH_DIFFERENCES } from '../../host/api/rpc/geth-differences.ts'
import { METHODS } from '../../host/api/rpc/methods.ts'
import { markdownTable } from './markdown-table.ts'

function signature({ params }: Method): string {
  const names = params.map(
    ({ name, type, required }) => `${name}${required ? '' : '?'}: ${type.label}`,
  )
  return names.join(', ')
}

function methodTable(methods: readonly Method[]): readonly string[] {
  const rows = methods.map((method) => {
    const transports = method.transports.length > 1 ? '' : ` (${method.transports.join()} only)`
    const everywhere = method.anywhere ? ' *' : ''
    return [`\`${method.name}\`${transports}${everywhere}`, signature(method), method.result]
  })
  return markdownTable(['method', 'arguments', 'result'], rows)
}

/** METHODS.md: the methods of the EVM JSON-RPC on every chain, and where answers differ from geth's on purpose. */
export function methodPage(): string {
  const differences = Object.values(GETH_DIFFERENCES).map(({ where, geth, lockstep, reason }) => [
    where,
    geth,
    lockstep,
    reason,
  ])
  return [
    '# Methods of the EVM JSON-RPC',
    '',
    'Written by `tools/gen-docs.ts` from `methods.ts`. Arguments with a question mark may be left out or null. Those of development chains alone are in [DEV_METHODS.md](DEV_METHODS.md). Threads that serve (`evm.serving_threads`) answer a method with a star by themselves, but for the block `pending` and for transactions that wait; of eth_sendRawTransaction they check all that needs no state.',
    '',
    ...methodTable(METHODS.filter(({ dev }) => !dev)),
    '',
    '## Where answers differ from geth 1.17.10',
    '',
    'Written from `geth-differences.ts`. Words of memory and storage in struct logs have the prefix `0x`, as in execution-apis and geth 1.17.10; geth 1.17.0 has none.',
    '',
    ...markdownTable(['where', 'geth', 'Lockstep', 'reason'], differences),
    '',
  ].join('\n')
}

/** A method that has several names, one after the other in the table, in one row. */
function underAllNames(methods: readonly Method[]): readonly string[] {
  const rows: { readonly names: string[]; readonly method: Method }[] = []
  for (const method of methods) {
    const last = rows.at(-1)
    const isSame =
      last?.method.result === method.result && signature(last.method) === signature(method)
    if (isSame) last.names.push(method.name)
    else rows.push({ names: [method.name], method })
  }
  return markdownTable(
    ['method', 'arguments', 'result'],
    rows.map(({ names, method }) => [
      names.map((name) => `\`${name}\``).join(', '),
      signature(method),
      method.result,
    ]),
  )
}

/** DEV_METHODS.md: the methods of development chains, and where answers differ from anvil's on purpose. */
export function devMethodPage(): string {
  const differences = Object.values(ANVIL_DIFFERENCES).map(({ where, anvil, lockstep, reason }) => [
    where,
    anvil,
    lockstep,
    reason,
  ])
  return [
    '# Methods of development chains',
    '',
    'Written by `tools/gen-docs.ts` from `dev/methods.ts`. They are answered under `--dev` only, beside those of [METHODS.md](METHODS.md). A number may be a JSON number, a hex quantity or decimal digits in a string.',
    '',
    ...underAllNames(METHODS.filter(({ dev }) => dev)),
    '',
    '## Where answers differ from anvil 1.7.1',
    '',
    'Written from `anvil-differences.ts`, which the comparison of both nodes holds to.',
    '',
    ...markdownTable(['where', 'anvil', 'Lockstep', 'reason'], differences),
    '',
  ].join('\n')
}
