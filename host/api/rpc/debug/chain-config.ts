import { chainConfig, networkOf } from '../../../evm/execute/ethereum/chain-config.ts'
import { knownHeader } from '../../../evm/execute/history.ts'
import { RawJson } from '../call/result.ts'
import type { MethodCall } from '../call/rpc-call.ts'

/** Returns the rules of the chain as the `config` of a genesis.json of geth. */
export function getChainConfig({ context }: MethodCall): RawJson {
  const { imported, rules, chain, history } = context
  const { revision } = rules.envOf(knownHeader(history, chain.latest))
  const network = imported?.genesis.network ?? networkOf(rules.chainId, revision)
  // Numbers, as in geth: a terminal total difficulty has more digits than a number of JavaScript.
  const text = JSON.stringify(chainConfig(network), (_name, value) =>
    typeof value === 'bigint' ? `${value}n` : value,
  )
  return new RawJson(text.replace(/"(\d+)n"/g, '$1'))
}
