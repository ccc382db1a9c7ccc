import { type ListProblem, requiredKey } from './config-key.ts'
import { caip2Name, httpUrl } from './value-type.ts'

const KEYS = {
  id: requiredKey(caip2Name(), 'eip155:1329', 'CAIP-2 name of the chain, as requests give it'),
  rpc: requiredKey(httpUrl(), 'https://rpc.example.com', 'EVM JSON-RPC of a node of that chain'),
}

function* problemsOf(
  tables: readonly { readonly id: string; readonly rpc: string }[],
): Generator<ListProblem> {
  const seen = new Set<string>()
  for (const [table, { id, rpc }] of tables.entries()) {
    if (rpc === '') {
      const message = `rpc of ${id} is empty`
      yield { table, name: 'rpc', message, hint: 'write the URL of a node of that chain' }
    }
    if (seen.has(id)) {
      const message = `id = "${id}" has another table`
      yield { table, name: 'id', message, hint: 'a chain has one node: keep one of the tables' }
    }
    seen.add(id)
  }
}

/** Chains that wallets send to; if there is no table, the chain of this node. */
export const WALLET_CHAIN_LIST = {
  help: 'a chain that wallets send to, beside the chain of this node; any number of these tables is allowed',
  keys: KEYS,
  // The loader passes tables decoded by the types of the keys.
  check: (tables: readonly Readonly<Record<string, unknown>>[]): readonly ListProblem[] => [
    ...problemsOf(tables as unknown as readonly { id: string; rpc: string }[]),
  ],
} as const
