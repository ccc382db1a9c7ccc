import { keccak256 } from 'viem'
import { formatData, type Hex } from '../../../../base/hex.ts'
import { CONSOLE_ADDRESS } from '../../../../evm/trace/tracers/console-call.ts'
import { ConsoleTable } from '../../../../evm/trace/tracers/console-table.ts'
import { type AbiItem, abiItem, type ItemKind } from './abi-item.ts'
import type { AbiLookup } from './abi-registry.ts'

/** Address of the console contract, lower case. */
export const CONSOLE: Hex = formatData(CONSOLE_ADDRESS)

/** The functions of console.sol, including their old selectors. */
export class ConsoleAbi implements AbiLookup {
  readonly #table = new ConsoleTable((bytes) => keccak256(bytes, 'bytes'))

  find(kind: ItemKind, selector: Hex): readonly AbiItem[] {
    const found = kind === 'function' ? this.#table.find(Number(selector)) : undefined
    if (found === undefined) return []
    const inputs = found.types.map((type) => ({ type }))
    const item = abiItem({ type: 'function', name: 'log', inputs }, 'table', 'console.sol')
    return item === undefined ? [] : [{ ...item, selector }]
  }
}
