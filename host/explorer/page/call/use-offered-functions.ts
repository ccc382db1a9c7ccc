import { type Hex, parseData } from '../../../base/hex.ts'
import { useNodeQuery } from '../node/use-node-query.ts'
import { type FunctionGroup, offeredFunctions } from '../sources/offered-functions.ts'
import { useExplorer } from '../state/explorer-context.ts'

const NO_CODE = new Uint8Array(0)

/** Returns the functions that a call of an address may name, by its code and the uploaded ABIs. */
export function useOfferedFunctions(address: string): readonly FunctionGroup[] {
  const { uploads } = useExplorer()
  const isAddress = /^0x[0-9a-f]{40}$/.test(address)
  const account = useNodeQuery(
    async (reader) => (isAddress ? reader.account(address as Hex) : undefined),
    [address],
  ).value
  const code = account.kind === 'answered' ? account.value?.code : undefined
  return offeredFunctions(uploads.contracts.value, code === undefined ? NO_CODE : parseData(code))
}
