import type { Hex } from '../../../base/hex.ts'
import type { NodeClient } from '../../../client/remote-node/node-client.ts'
import { nodeCallError } from '../../../client/remote-node/rpc-answer.ts'

/** The outcome of a call that a node ran. */
export type ContractAnswer =
  | { readonly kind: 'returned'; readonly output: Hex }
  /** `output` is the data of the failure, as far as the node gives them. */
  | { readonly kind: 'failed'; readonly message: string; readonly output: Hex }

/** Has a node call a contract at its latest block. @throws errors of asking the node */
export async function callContract(
  client: NodeClient,
  to: Hex,
  data: Hex,
): Promise<ContractAnswer> {
  const method = 'eth_call'
  const [answer] = await client.askAll([{ method, params: [{ to, data }, 'latest'] }])
  if (answer === undefined) throw client.invalid(method, 'no answer')
  if ('error' in answer) {
    const { code, message, data: given } = answer.error
    // 3 is EIP-1474's code of a revert; -32000 and -32015 are those of other clients.
    if (![3, -32000, -32015].includes(code)) throw nodeCallError(client.name, method, answer.error)
    return { kind: 'failed', message, output: isBytes(given) ? given : '0x' }
  }
  const output = client.decode(method, answer.result, (value) => {
    value.data()
    return value.text().toLowerCase() as Hex
  })
  return { kind: 'returned', output }
}

function isBytes(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)
}
