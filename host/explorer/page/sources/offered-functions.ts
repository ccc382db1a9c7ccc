import type { AbiItem } from '../decode/abi/abi-item.ts'
import { middleCut } from '../decode/format/middle-cut.ts'
import { safeText } from '../decode/format/safe-text.ts'
import type { ContractSet } from '../decode/solc/contract-set.ts'

/** Functions of one ABI, for a choice. */
export interface FunctionGroup {
  /** Safe to display. */
  readonly name: string
  /** The ABI is that of the code itself. */
  readonly isOwn: boolean
  readonly functions: readonly AbiItem[]
}

/** More cannot be chosen from. */
const MOST_GROUPS = 50
const MOST_FUNCTIONS = 300

const LONGEST_NAME = 60

/**
 * Returns the functions that a call may name: those of the contract with this code first, then those of all other
 * uploaded ABIs, since the code may be a proxy.
 */
export function offeredFunctions(contracts: ContractSet, code: Uint8Array): FunctionGroup[] {
  const own = contracts.match(code)?.artifact
  const others = contracts.artifacts.filter((artifact) => artifact !== own)
  const alone = contracts.files.flatMap(({ name, abi }) =>
    abi === undefined ? [] : [{ name, abi }],
  )
  return [...(own === undefined ? [] : [own]), ...alone, ...others]
    .map(({ name, abi }) => ({
      name: middleCut(safeText(name), LONGEST_NAME),
      isOwn: own !== undefined && abi === own.abi,
      functions: [...abi].filter(({ kind }) => kind === 'function').slice(0, MOST_FUNCTIONS),
    }))
    .filter(({ functions }) => functions.length > 0)
    .slice(0, MOST_GROUPS)
}
