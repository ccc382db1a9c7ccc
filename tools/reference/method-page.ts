import type { Method } from '../../host/api/rpc/call/method.ts'
import { METHODS } from '../../host/api/rpc/methods.ts'
import { ANVIL_DIFFERENCES } from './anvil-differences.ts'
import { GETH_DIFFERENCES } from './geth-differences.ts'
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
    const everywhere = method.onAnyWorker ? ' *' : ''
    return [`\`${method.name}\`${transports}${everywhere}`, signature(method), method.result]
  })
  return markdownTable(['method', 'arguments', 'result'], rows)
}

/** Returns METHODS.md: the methods of the EVM JSON-RPC on every chain, and intended differences from geth's answers. */
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
    'Written by `tools/gen-docs.ts` from `methods.ts`. Arguments with a question mark may be omitted or null. Methods only for development chains are in [DEV_METHODS.md](DEV_METHODS.md). RPC workers (`evm.serving_threads`) answer a method with a star themselves, except for the block `pending` and pending transactions. For eth_sendRawTransaction they run all checks that need no state.',
    '',
    ...methodTable(METHODS.filter(({ dev }) => !dev)),
    '',
    '## Where answers differ from geth 1.17.10',
    '',
    'Written from `tools/reference/geth-differences.ts`. Words of memory and storage in struct logs have the prefix `0x`, as in execution-apis and geth 1.17.10; geth 1.17.0 omits it.',
    '',
    ...markdownTable(['where', 'geth', 'Lockstep', 'reason'], differences),
    '',
  ].join('\n')
}

/** Returns the names of methods; one with several names, which are adjacent in the table, gets one row. */
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

/** Returns DEV_METHODS.md: the methods of development chains, and intended differences from anvil's answers. */
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
    'Written by `tools/gen-docs.ts` from `dev/methods.ts`. They are available only under `--dev`, in addition to those of [METHODS.md](METHODS.md). A number may be a JSON number, a hex quantity or decimal digits in a string.',
    '',
    ...underAllNames(METHODS.filter(({ dev }) => dev)),
    '',
    '## Where answers differ from anvil 1.7.1',
    '',
    'Written from `tools/reference/anvil-differences.ts`, which the test that compares both nodes uses.',
    '',
    ...markdownTable(['where', 'anvil', 'Lockstep', 'reason'], differences),
    '',
  ].join('\n')
}
