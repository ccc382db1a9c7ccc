import { CONSENSUS_ROUTES } from '../../host/api/rpc/consensus/routes.ts'
import { COMET_DIFFERENCES } from './comet-differences.ts'
import { markdownTable } from './markdown-table.ts'

/** Returns ROUTES.md: every route of the consensus RPC, and intended differences from CometBFT's answers. */
export function routePage(): string {
  const routes = [...CONSENSUS_ROUTES].map(([name, { params, help }]) => [
    `\`${name}\``,
    params.join(', '),
    help,
  ])
  const differences = Object.values(COMET_DIFFERENCES).map(({ where, comet, lockstep, reason }) => [
    where,
    comet,
    lockstep,
    reason,
  ])
  return [
    '# Routes of the consensus RPC',
    '',
    'Written by `tools/gen-docs.ts` from `consensus/routes.ts`. Every argument is optional, except for the hash of a block or',
    'transaction, a transaction and a query.',
    '',
    ...markdownTable(['route', 'arguments', 'answer'], routes),
    '',
    '## Where answers differ from CometBFT 0.38.19',
    '',
    'Written from `tools/reference/comet-differences.ts`.',
    '',
    ...markdownTable(['where', 'CometBFT', 'Lockstep', 'reason'], differences),
    '',
  ].join('\n')
}
